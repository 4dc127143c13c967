// The page of the current URL. Its code is loaded once; the page before stays until then.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { matchRoute } from "../router/match.ts";
import type { Matched } from "../router/match.ts";
import { place } from "../router/location.ts";
import { routes } from "../routes.tsx";
import type { Page, Route } from "../routes.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorPanel, Skeleton } from "../ui/notice.tsx";
import { paths } from "../paths.ts";

const loaded = new Map<Route["load"], Page>();
/** Counts the pages that were loaded, so that the view is drawn again. */
const loads = signal(0);
const failure = signal<Error | undefined>(undefined);

export function currentMatch(): Matched<Route> | undefined {
  return matchRoute(routes, place.value.path);
}

export function PageView() {
  const { query } = place.value;
  const matched = currentMatch();
  const load = matched?.route.load;
  useEffect(() => {
    if (load !== undefined) void loadPage(load);
  }, [load]);
  if (matched === undefined) return <NotFound />;
  const Shown = loads.value >= 0 ? loaded.get(matched.route.load) : undefined;
  if (failure.value !== undefined) {
    return (
      <ErrorPanel
        error={failure.value}
        title="The page could not be loaded"
        onRetry={() => window.location.reload()}
      />
    );
  }
  if (Shown === undefined) return <Skeleton lines={8} />;
  return <Shown params={matched.params} query={query} />;
}

async function loadPage(load: Route["load"]): Promise<void> {
  failure.value = undefined;
  if (loaded.has(load)) return;
  try {
    loaded.set(load, await load());
    loads.value += 1;
  } catch (error) {
    // After an update of the server, the old files no longer exist.
    failure.value = error instanceof Error ? error : new Error(String(error));
  }
}

function NotFound() {
  return (
    <div class="stack">
      <header class="page-head">
        <h1>There is no page at this address</h1>
      </header>
      <p class="row">
        <Button href={paths.overview()}>Open the overview</Button>
      </p>
    </div>
  );
}
