// A search in all documents. A document that cannot be read is named, and the others are searched.

import { paths } from "../../paths.ts";
import { plural } from "../../format/number.ts";
import { useQuery } from "../../query/query.ts";
import { Empty, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { readApiDocument } from "./document.ts";
import type { ApiDocument } from "./document.ts";
import { OperationList } from "./operation-list.tsx";
import { matching } from "./search.ts";
import { readDocument } from "./surfaces.ts";
import type { ApiSurface } from "./surfaces.ts";

interface AllProps {
  readonly surfaces: readonly ApiSurface[];
  readonly words: string;
}

interface Searched {
  readonly surface: ApiSurface;
  readonly document: ApiDocument | undefined;
  readonly error?: string;
}

const mostShown = 30;

export function AllResults({ surfaces, words }: AllProps) {
  // Documents for roles are read when they are opened: most users may not read them.
  const open = surfaces.filter(({ isCommands, isForRoles }) => !isCommands && !isForRoles);
  const key = open.map(({ url }) => url).join(" ");
  const { data } = useQuery(`reference all ${key}`, async (signal) => {
    return await Promise.all(open.map(async (surface) => await searched(surface, signal)));
  });
  if (data === undefined) return <Skeleton lines={8} />;
  const failed = data.filter(({ document }) => document === undefined);
  const found = data
    .map(({ surface, document }) => ({
      surface,
      operations: matching(document?.operations ?? [], words),
    }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <div class="stack">
      {failed.map(({ surface, error }) => (
        <p key={surface.id} class="t-failed" role="alert">
          {surface.label} could not be read: {error}
        </p>
      ))}
      {found.length === 0 && <Empty>No operation contains {words}.</Empty>}
      {found.map(({ surface, operations }) => (
        <Panel
          key={surface.id}
          title={surface.label}
          note={`${surface.group}, ${plural(operations.length, "operation")}`}
          side={
            <a class="link" href={paths.reference({ surface: surface.id })}>
              Open
            </a>
          }
        >
          {words !== "" && (
            <OperationList surface={surface} operations={operations.slice(0, mostShown)} />
          )}
          {words !== "" && operations.length > mostShown && (
            <p class="muted small panel-body">
              <a class="link" href={paths.reference({ surface: surface.id, q: words })}>
                {plural(operations.length - mostShown, "more operation")}
              </a>
            </p>
          )}
        </Panel>
      ))}
    </div>
  );
}

async function searched(surface: ApiSurface, signal: AbortSignal): Promise<Searched> {
  try {
    return { surface, document: readApiDocument(await readDocument(surface.url, signal)) };
  } catch (error) {
    if (signal.aborted) throw error;
    const text = error instanceof Error ? error.message : String(error);
    return { surface, document: undefined, error: text };
  }
}
