// The output of the executors, as it is written. It follows the end until the user scrolls up.

import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { environmentsApi } from "../../api/environments.ts";
import type { LogChunk } from "../../api/environments.ts";
import { isStatus } from "../../api/client.ts";
import { paths } from "../../paths.ts";
import { retryDelayMs } from "../../stream/retry-delay.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel } from "../../ui/notice.tsx";
import type { TabProps } from "./environment-page.tsx";

/** Older output is dropped from the page; the server keeps it. */
const mostChunks = 2_000;
/** Nearer to the end than this, it is followed. */
const endPx = 24;

export function LogsTab({ place, query }: TabProps) {
  const { namespace, id } = place;
  const resource = query.get("resource") ?? undefined;
  const chunks = useSignal<readonly LogChunk[]>([]);
  const error = useSignal<Error | undefined>(undefined);
  const isFollowing = useSignal(true);
  const attempt = useSignal(0);
  useEffect(() => {
    const stop = new AbortController();
    chunks.value = [];
    void follow({ namespace, id }, resource, stop.signal, {
      add: (chunk) => (chunks.value = [...chunks.peek(), chunk].slice(-mostChunks)),
      fail: (found) => (error.value = found),
    });
    return () => stop.abort();
  }, [namespace, id, resource, attempt.value]);
  const retry = (): void => {
    error.value = undefined;
    attempt.value += 1;
  };
  return (
    <div class="stack">
      <div class="row">
        <span class="muted">{resource === undefined ? "All resources" : resource}</span>
        {resource !== undefined && (
          <Button href={paths.environment(namespace, id, "logs")} look="link">
            Show all
          </Button>
        )}
        <Button
          isPressed={isFollowing.value}
          onClick={() => (isFollowing.value = !isFollowing.value)}
        >
          Follow
        </Button>
      </div>
      {error.value !== undefined && <ErrorPanel error={error.value} onRetry={retry} />}
      <Output
        chunks={chunks.value}
        isFollowing={isFollowing}
        hasError={error.value !== undefined}
      />
    </div>
  );
}

interface OutputProps {
  readonly chunks: readonly LogChunk[];
  readonly isFollowing: Signal<boolean>;
  readonly hasError: boolean;
}

function Output({ chunks, isFollowing, hasError }: OutputProps) {
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && isFollowing.value) element.scrollTop = element.scrollHeight;
  });
  const onScroll = (): void => {
    const element = box.current;
    if (element === null) return;
    const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
    isFollowing.value = distance < endPx;
  };
  if (chunks.length === 0) {
    if (hasError) return null;
    return (
      <Empty>
        No output yet. Executors such as Terraform write it here while they run; resources that are
        only stored have none.
      </Empty>
    );
  }
  return (
    <pre ref={box} class="log" tabIndex={0} onScroll={onScroll} aria-label="Output">
      {chunks.map(({ revision, resource: source, text }) => (
        <span key={revision}>
          <span class="log-source">{source ?? ""} | </span>
          {text}
        </span>
      ))}
    </pre>
  );
}

interface Sink {
  readonly add: (chunk: LogChunk) => void;
  readonly fail: (error: Error) => void;
}

/** Reads until the page is left. A broken connection resumes after the last chunk. */
async function follow(
  place: { readonly namespace: string; readonly id: string },
  resource: string | undefined,
  signal: AbortSignal,
  { add, fail }: Sink,
): Promise<void> {
  let after: number | undefined;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      for await (const chunk of environmentsApi.logs(place, { resource, after }, signal)) {
        after = chunk.revision;
        failures = 0;
        if (chunk.type === "output") add(chunk);
      }
    } catch (found) {
      if (signal.aborted) return;
      const isFinal = isStatus(found, 403) || isStatus(found, 404);
      if (isFinal && found instanceof Error) return fail(found);
      if (isStatus(found, 410)) after = undefined;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, retryDelayMs(failures));
    });
  }
}
