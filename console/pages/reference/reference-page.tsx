// All APIs of the server, from the documents that it serves: nothing is loaded from another host.

import { kinds } from "../../api/kinds.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { paths, withQuery } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { navigate, place } from "../../router/location.ts";
import type { PageProps } from "../../routes.tsx";
import { ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { AllResults } from "./all-results.tsx";
import { SurfaceView } from "./surface-view.tsx";
import { readSurfaces } from "./surfaces.ts";
import type { ApiSurface } from "./surfaces.ts";
import "./reference.css";

export function ReferencePage({ query }: PageProps) {
  const isReady = kinds.value !== undefined;
  const { data, error, refetch } = useQuery(
    isReady ? "reference surfaces" : undefined,
    readSurfaces,
    { live: ({ kind }) => kind.startsWith("customresourcedefinitions.") },
  );
  const id = query.get("surface") ?? "";
  const words = query.get("q") ?? "";
  const surface = data?.find((each) => each.id === id);
  return (
    <div class="stack">
      <header class="page-head">
        <h1>API reference</h1>
        <p class="muted">From the documents that this server serves.</p>
      </header>
      <FilterBar
        key={id}
        label={surface === undefined ? "Search all APIs" : `Search ${surface.label}`}
        placeholder="rollback, GET pods, environments.deploy"
        value={words}
        onChange={(q) =>
          navigate(withQuery(place.peek().href, { q, op: undefined }), { replace: true })
        }
      />
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {data === undefined && error === undefined && <Skeleton lines={8} />}
      {data !== undefined && (
        <div class="reference">
          <Surfaces surfaces={data} current={id} />
          {surface === undefined ? (
            <AllResults surfaces={data} words={words} />
          ) : (
            <SurfaceView
              key={surface.id}
              surface={surface}
              words={words}
              wanted={query.get("op") ?? ""}
            />
          )}
        </div>
      )}
    </div>
  );
}

interface SurfacesProps {
  readonly surfaces: readonly ApiSurface[];
  readonly current: string;
}

function Surfaces({ surfaces, current }: SurfacesProps) {
  const groups = [...new Set(surfaces.map(({ group }) => group))];
  return (
    <>
      <label class="field phone-only">
        <span>API</span>
        <select
          class="input"
          value={current}
          onChange={(event) => navigate(paths.reference({ surface: event.currentTarget.value }))}
        >
          <option value="">All</option>
          {surfaces.map(({ id, group, label }) => (
            <option key={id} value={id}>
              {group}: {label}
            </option>
          ))}
        </select>
      </label>
      <nav class="surfaces wide-only" aria-label="APIs">
        <a href={paths.reference()} aria-current={current === "" ? "page" : undefined}>
          All
        </a>
        {groups.map((group) => (
          <section key={group}>
            <h2 class="muted small">{group}</h2>
            {surfaces
              .filter((each) => each.group === group)
              .map(({ id, label }) => (
                <a
                  key={id}
                  href={paths.reference({ surface: id })}
                  aria-current={id === current ? "page" : undefined}
                >
                  {label}
                </a>
              ))}
          </section>
        ))}
      </nav>
    </>
  );
}
