import { kube } from "../../api/kube.ts";
import type { EventDocument } from "../../api/kube.ts";
import type { ListOf, Resource } from "../../api/types.ts";
import { countText } from "../../format/number.ts";
import { useQuery } from "../../query/query.ts";
import type { QueryState } from "../../query/query.ts";
import { Icon } from "../../ui/icon.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { groupEvents } from "./grouped-events.ts";
import type { Viewed } from "./resource-page.tsx";
import type { TabProps } from "./tab-content.tsx";

export function useEvents(
  { namespace, name }: Viewed,
  { metadata: { uid = "" } }: Resource,
): QueryState<ListOf<EventDocument>> {
  return useQuery(
    `events ${uid}`,
    async (signal) => await kube.events({ namespace, name }, uid, signal),
    { live: (change) => change.kind === "events" && change.name.startsWith(name) },
  );
}

export function EventsTab({ viewed, document }: TabProps) {
  return document === undefined ? null : <Events viewed={viewed} document={document} />;
}

function Events({ viewed, document }: { viewed: Viewed; document: Resource }) {
  const { data, error, refetch } = useEvents(viewed, document);
  const groups = groupEvents(data?.items ?? []);
  return (
    <Panel title="Events" note="repeats are grouped; the server keeps them for one hour">
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && groups.length === 0 && <Empty>No events in the last hour.</Empty>}
      {groups.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Last</th>
              <th scope="col">Reason</th>
              <th scope="col" class="wide-only">
                Message
              </th>
              <th scope="col" class="right">
                Count
              </th>
              <th scope="col" class="wide-only">
                From
              </th>
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <tr key={group.key}>
                <td class="nowrap">
                  <Time at={new Date(group.lastMs).toISOString()} />
                </td>
                <td>
                  <span class={`state t-${group.isWarning ? "failed" : "unknown"}`}>
                    <Icon name={group.isWarning ? "failed" : "stored"} />
                    {group.reason}
                  </span>
                  <span class="sub phone-only">{group.message}</span>
                </td>
                <td class="wide-only">{group.message}</td>
                <td class="right">{countText(group.count)}</td>
                <td class="muted nowrap wide-only">{group.source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
