// One API: its operations by topic, or one of them.

import { useMemo } from "preact/hooks";
import { isStatus } from "../../api/client.ts";
import { plural } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { readApiDocument } from "./document.ts";
import type { ApiDocument } from "./document.ts";
import { OperationList } from "./operation-list.tsx";
import { OperationView } from "./operation-view.tsx";
import { RichText } from "./rich-text.tsx";
import { byTag, matching } from "./search.ts";
import { readDocument } from "./surfaces.ts";
import type { ApiSurface } from "./surfaces.ts";

interface SurfaceProps {
  readonly surface: ApiSurface;
  readonly words: string;
  /** The operation that is shown; empty: the list. */
  readonly wanted: string;
}

export function SurfaceView({ surface, words, wanted }: SurfaceProps) {
  const { data, error, refetch } = useQuery(
    `reference ${surface.url}`,
    async (signal) => await readDocument(surface.url, signal),
  );
  const document = useMemo(() => data && readApiDocument(data), [data]);
  if (document === undefined) {
    if (error === undefined) return <Skeleton lines={10} />;
    if (surface.isForRoles === true && (isStatus(error, 404) || isStatus(error, 403))) {
      return (
        <section class="panel">
          <Empty>This API exists only for callers with one of its roles, and you have none.</Empty>
        </section>
      );
    }
    return <ErrorPanel error={error} onRetry={refetch} title={`${surface.label} cannot be read`} />;
  }
  const operations = document.operations.filter(
    ({ command }) => surface.isCommands !== true || command !== undefined,
  );
  const shown = operations.find(({ id }) => id === wanted);
  if (wanted !== "") {
    return shown === undefined ? (
      <Empty
        action={<Button href={paths.reference({ surface: surface.id })}>All operations</Button>}
      >
        {surface.label} has no operation {wanted}.
      </Empty>
    ) : (
      <OperationView surface={surface} document={document} operation={shown} words={words} />
    );
  }
  const found = matching(operations, words);
  const text = surface.isCommands === true ? busText : document.description;
  return (
    <div class="stack">
      <Panel
        title={titleOf(surface, document)}
        note={`version ${document.version}, ${plural(operations.length, "operation")}`}
        side={
          <a class="link" href={surface.url} target="_blank" rel="noreferrer">
            Document
          </a>
        }
      >
        {text !== "" && (
          <p class="panel-body">
            <RichText text={text} />
          </p>
        )}
      </Panel>
      {found.length === 0 && <Empty>No operation contains {words}.</Empty>}
      {byTag(found).map(({ tag, operations: some }) => (
        <Panel key={tag} title={tag === "" ? "Operations" : tag} note={String(some.length)}>
          <OperationList surface={surface} operations={some} words={words} />
        </Panel>
      ))}
    </div>
  );
}

/** All documents of Kubernetes have one title. */
function titleOf({ group, label, isCommands }: ApiSurface, { title }: ApiDocument): string {
  if (isCommands === true) return "Commands of the message bus";
  return group === "Kubernetes" || title === "" ? label : title;
}

const busText =
  "A command calls the route of the REST API that has its name, with the rights of the user that " +
  "the broker names. Publish a message with the name as its `type` and a `message-id` of your " +
  "choice: a repeated message with the same id has one effect.";
