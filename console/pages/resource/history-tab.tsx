// What the resource was: its revisions, what changed in each, what differs from now, and the way
// back.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { insight } from "../../api/insight.ts";
import { mayOn } from "../../api/rights.ts";
import type { HistoryPage, Revision } from "../../api/types.ts";
import { DiffView } from "../../components/diff-view.tsx";
import { countText } from "../../format/number.ts";
import { useQuery } from "../../query/query.ts";
import { navigate, place } from "../../router/location.ts";
import { withQuery } from "../../paths.ts";
import type { ResourceAddress } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { PastDocument } from "./past-document.tsx";
import type { Viewed } from "./resource-page.tsx";
import { RollbackDialog } from "./rollback-dialog.tsx";
import type { TabProps } from "./tab-content.tsx";

const words: Readonly<Record<Revision["type"], string>> = {
  created: "created",
  updated: "changed",
  deleted: "deleted",
};

/** How many pages a link to an old revision may read before the user asks for more. */
const maxPages = 4;

export function HistoryTab({ viewed, document, query }: TabProps) {
  const { kind, namespace, name } = viewed;
  const address = { kind: kind.id, namespace, name };
  const cursor = query.get("before") ?? undefined;
  const wanted = Number(query.get("rev") ?? 0);
  // A link may lead to a revision of a later page.
  const linked = useMemo(() => wanted, [kind.id, namespace, name, cursor, wanted === 0]);
  const { data, error, refetch } = useQuery(
    `history ${kind.id} ${namespace} ${name} ${cursor ?? ""} ${linked}`,
    async (signal) => await pageWith(linked, address, cursor, signal),
    {
      live: (change) =>
        change.kind === kind.id && change.name === name && (change.namespace ?? "") === namespace,
    },
  );
  if (data === undefined) {
    return error === undefined ? (
      <Skeleton lines={8} />
    ) : (
      <ErrorPanel error={error} onRetry={refetch} />
    );
  }
  const { revisions, next } = data;
  const chosen = wanted === 0 ? revisions[0] : findRevision(revisions, wanted);
  if (revisions.length === 0) return <Empty>No revisions are kept.</Empty>;
  const newest = data.isNewest ? revisions[0] : undefined;
  return (
    <div class="columns history">
      <div class="stack">
        {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
        {chosen === undefined ? (
          <NotFound wanted={wanted} older={data.isFurther ? next : undefined} />
        ) : (
          <Difference
            viewed={viewed}
            chosen={chosen}
            current={document?.metadata.resourceVersion}
            isNewest={newest?.revision === chosen.revision}
            query={query}
          />
        )}
      </div>
      <Panel title="Revisions" note="newest first">
        <ol class="revisions">
          {revisions.map((revision) => (
            <Line
              key={revision.revision}
              revision={revision}
              isChosen={revision.revision === chosen?.revision}
            />
          ))}
        </ol>
        <div class="panel-body row">
          {!data.isNewest && (
            <Button onClick={() => open({ before: undefined, rev: undefined })}>Newest</Button>
          )}
          {next !== undefined && (
            <Button onClick={() => open({ before: next, rev: undefined })}>Older</Button>
          )}
          {next === undefined && revisions.at(-1)?.type !== "created" && (
            <span class="muted small">Older revisions are no longer kept.</span>
          )}
        </div>
      </Panel>
    </div>
  );
}

interface FoundPage extends HistoryPage {
  readonly isNewest: boolean;
  /** The revision is older than the pages that were read. */
  readonly isFurther: boolean;
}

/** The page at the cursor, or one of the next that has the revision. */
async function pageWith(
  wanted: number,
  address: ResourceAddress,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<FoundPage> {
  const first = await insight.history(address, cursor, signal);
  const isFurther = ({ revisions, next }: HistoryPage): boolean =>
    next !== undefined && wanted > 0 && (revisions.at(-1)?.revision ?? 0) > wanted;
  let page = first;
  for (let read = 1; read < maxPages && isFurther(page); read += 1) {
    page = await insight.history(address, page.next, signal);
  }
  if (isFurther(page)) return { ...page, isNewest: false, isFurther: true };
  const isFound = findRevision(page.revisions, wanted) !== undefined;
  const isFirst = page === first || !isFound;
  const shown = isFirst ? first : page;
  return { ...shown, isNewest: isFirst && cursor === undefined, isFurther: false };
}

interface NotFoundProps {
  readonly wanted: number;
  /** Where the search continues. */
  readonly older: string | undefined;
}

function NotFound({ wanted, older }: NotFoundProps) {
  const text =
    older === undefined
      ? "It is no longer kept, or is not a revision of this resource."
      : "It is older than the revisions that were loaded.";
  return (
    <Panel title={`Revision ${countText(wanted)}`}>
      <Empty>{text}</Empty>
      {older !== undefined && (
        <div class="panel-body row">
          <Button onClick={() => open({ before: older })}>Load more</Button>
        </div>
      )}
    </Panel>
  );
}

function findRevision(revisions: readonly Revision[], wanted: number): Revision | undefined {
  return revisions.find(({ revision }) => revision === wanted);
}

function open(changes: Readonly<Record<string, string | undefined>>): void {
  navigate(withQuery(place.peek().href, { view: undefined, ...changes }));
}

function Line({ revision, isChosen }: { revision: Revision; isChosen: boolean }) {
  const { revision: number, type, time, cause, changed = [], erased } = revision;
  const paths = changed.filter((path) => !path.startsWith("/metadata/managedFields"));
  const href = withQuery(place.value.href, { rev: number, view: undefined });
  return (
    <li class={isChosen ? "revision-chosen" : ""}>
      <a href={href} aria-current={isChosen ? "true" : undefined}>
        <span class="row">
          <span class="mono strong">{countText(number)}</span>
          <span class="muted end">
            <Time at={time} />
          </span>
        </span>
        <span class="sub muted">
          <span class="change-actor">{cause?.actor ?? "system"}</span> {words[type]}
          {erased === true && ", content erased"}
          {paths.length > 0 && (
            <>
              {" "}
              <code>{shortPaths(paths)}</code>
            </>
          )}
        </span>
      </a>
    </li>
  );
}

/** "spec.replicas and 2 more" */
function shortPaths(paths: readonly string[]): string {
  const [first = "", ...more] = paths.map((path) => path.slice(1).replaceAll("/", "."));
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

interface DifferenceProps {
  readonly viewed: Viewed;
  readonly chosen: Revision;
  readonly current: string | undefined;
  readonly isNewest: boolean;
  readonly query: URLSearchParams;
}

type View = "change" | "current" | "document";

const views: readonly (readonly [View, string])[] = [
  ["change", "What changed"],
  ["current", "Compared with now"],
  ["document", "As it was"],
];

function Difference({ viewed, chosen, current, isNewest, query }: DifferenceProps) {
  const isAsking = useSignal(false);
  const { revision, type } = chosen;
  const view = views.find(([id]) => id === query.get("view"))?.[0] ?? "change";
  return (
    <Panel
      title={`Revision ${countText(revision)}`}
      note={<Time at={chosen.time} isAbsolute />}
      side={
        <Button
          off={rollbackOff(viewed, chosen, current, isNewest)}
          onClick={() => {
            isAsking.value = true;
          }}
        >
          Roll back to revision {countText(revision)}
        </Button>
      }
    >
      <div class="panel-body row" role="group" aria-label="View">
        {views.map(([id, label]) => (
          <Button
            key={id}
            isPressed={id === view}
            onClick={() => open({ rev: String(revision), view: id === "change" ? undefined : id })}
          >
            {label}
          </Button>
        ))}
      </div>
      {view === "document" && type !== "deleted" && (
        <PastDocument viewed={viewed} revision={revision} />
      )}
      {view === "document" && type === "deleted" && <Empty>It was deleted.</Empty>}
      {view !== "document" && (
        <Changes viewed={viewed} chosen={chosen} isToNow={view === "current"} />
      )}
      {isAsking.value && current !== undefined && (
        <RollbackDialog
          viewed={viewed}
          to={revision}
          shown={current}
          onClose={() => {
            isAsking.value = false;
          }}
        />
      )}
    </Panel>
  );
}

interface ChangesProps {
  readonly viewed: Viewed;
  readonly chosen: Revision;
  readonly isToNow: boolean;
}

function Changes({ viewed, chosen, isToNow }: ChangesProps) {
  const { kind, namespace, name } = viewed;
  const address = { kind: kind.id, namespace, name };
  const { revision } = chosen;
  const [from, to] = isToNow ? [revision, undefined] : [undefined, revision];
  const { data, error, refetch } = useQuery(
    `diff ${kind.id} ${namespace} ${name} ${from} ${to}`,
    async (signal) => await insight.diff(address, from, to, signal),
    isToNow ? { live: (change) => change.kind === kind.id && change.name === name } : {},
  );
  if (error !== undefined) return <ErrorPanel error={error} onRetry={refetch} />;
  if (data === undefined) return <Skeleton />;
  const changes = data.changes.filter(({ path }) => !path.startsWith("/metadata/managedFields"));
  return <DiffView changes={changes} />;
}

function rollbackOff(
  { kind, namespace, name }: Viewed,
  { type, erased }: Revision,
  current: string | undefined,
  isNewest: boolean,
): string | undefined {
  if (current === undefined) return "It does not exist. Create it again first.";
  if (isNewest) return "This is the present revision.";
  if (type === "deleted") return "It was deleted in this revision.";
  if (erased === true) return "The content of this revision was erased.";
  const isAllowed = mayOn(kind, { namespace, name, verb: "update" });
  return isAllowed === false ? `You may not update ${kind.plural} in ${namespace}.` : undefined;
}
