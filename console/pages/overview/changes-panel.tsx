import { insight } from "../../api/insight.ts";
import { kindNamed } from "../../api/kinds.ts";
import type { Change } from "../../api/types.ts";
import { clockText } from "../../format/time.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { zone } from "../../settings/settings.ts";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { repeatsOf } from "./repeats.ts";
import type { Repeat } from "./repeats.ts";

const shown = 8;
/** Events are changes as well, and are shown with their resource. */
const read = 60;
const verbs: Readonly<Record<Change["type"], string>> = {
  created: "created",
  updated: "changed",
  deleted: "deleted",
  erased: "erased the history of",
};

export function ChangesPanel({ namespace }: { namespace: string }) {
  const { data, error, refetch } = useQuery(
    `audit ${namespace}`,
    async (signal) => await insight.audit({ namespace, limit: read }, signal),
    { live: () => true },
  );
  const changes = (data?.items ?? []).filter(({ kind }) => kind !== "events");
  const runs = repeatsOf(changes).slice(0, shown);
  return (
    <Panel
      title="Latest changes"
      side={
        <a class="link" href={paths.activity(namespace === "" ? {} : { ns: namespace })}>
          Timeline
        </a>
      }
    >
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && changes.length === 0 && <Empty>No changes in the history.</Empty>}
      {changes.length > 0 && (
        <ol class="changes">
          {runs.map(({ change, count }) => (
            <Line key={change.revision} change={change} count={count} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

function Line({ change, count }: Repeat) {
  const { time, type, kind, namespace = "", name, cause } = change;
  const title = kindNamed(kind)?.kind ?? kind;
  const word = (
    <span class="mono">
      {title}/{name}
    </span>
  );
  return (
    <li>
      <time class="mono muted nowrap" dateTime={time} title={time}>
        {clockText(Date.parse(time), zone.value)}
      </time>
      <span>
        <span class="change-actor">{cause?.actor ?? "system"}</span>{" "}
        <span class="muted">{verbs[type]}</span>{" "}
        {type === "deleted" ? word : <a href={paths.resource({ kind, namespace, name })}>{word}</a>}
        <span class="sub muted">
          {[namespace, cause?.surface, count > 1 ? `${count} times` : ""]
            .filter((part) => part)
            .join(", ")}
        </span>
      </span>
    </li>
  );
}
