import { mostOfKind, providersApi } from "../../api/providers.ts";
import type { ProvidedResource } from "../../api/providers.ts";
import { StateOf } from "../../components/state.tsx";
import { paths, withQuery } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { place } from "../../router/location.ts";
import { stateOrder } from "../../states/states.ts";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Empty, ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";

const explorerOf = ({ kind, namespace, storedName: name }: ProvidedResource): string =>
  paths.resource({ kind: kind.id, namespace, name });

const columns: readonly Column<ProvidedResource>[] = [
  {
    id: "state",
    title: "State",
    width: "150px",
    value: ({ state }) => state,
    render: ({ state }) => <StateOf state={state} />,
  },
  {
    id: "name",
    title: "Resource",
    render: (resource) => (
      <a class="strong mono" href={explorerOf(resource)} title={resource.name}>
        {resource.name}
      </a>
    ),
  },
  {
    id: "group",
    title: "Group",
    width: "150px",
    render: ({ group }) => (
      <a href={withQuery(place.value.href, { group: group.toLowerCase() })}>{group}</a>
    ),
  },
  {
    id: "type",
    title: "Type",
    isWide: true,
    render: ({ type }) => <span class="mono small">{type}</span>,
  },
  {
    id: "location",
    title: "Location",
    isWide: true,
    width: "130px",
    render: ({ location }) => location,
  },
  {
    id: "why",
    title: "Message",
    isWide: true,
    value: ({ message }) => message,
    render: ({ message }) =>
      message === "" ? null : (
        <span class="muted" title={message}>
          {sentence(message)}
        </span>
      ),
  },
  {
    id: "operation",
    title: "Last operation",
    isWide: true,
    width: "170px",
    value: ({ startedAt }) => startedAt,
    render: ({ verb, startedAt }) => (
      <>
        {verb} {startedAt !== undefined && <Time at={startedAt} />}
      </>
    ),
  },
];

interface ResourcesProps {
  readonly namespace: string;
  readonly query: URLSearchParams;
}

export function ResourcesTab({ namespace, query }: ResourcesProps) {
  const { data, error, refetch } = useQuery(
    `provided ${namespace}`,
    async (signal) => await providersApi.resources(namespace, signal),
    { live: (change) => change.namespace === namespace },
  );
  if (data === undefined) {
    if (error === undefined) return <Skeleton lines={6} />;
    return <ErrorPanel error={error} onRetry={refetch} title="The resources could not be read" />;
  }
  const wanted = (query.get("group") ?? "").toLowerCase();
  const groups = groupsOf(data.items);
  const rows = data.items
    .filter(({ group }) => wanted === "" || group.toLowerCase() === wanted)
    .sort(
      (one, other) =>
        stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state) ||
        one.group.localeCompare(other.group) ||
        one.name.localeCompare(other.name),
    );
  return (
    <>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {groups.length > 0 && (
        <nav class="row" aria-label="Resource groups">
          <GroupLink label="All groups" count={data.items.length} current={wanted} />
          {groups.map(([group, count]) => (
            <GroupLink key={group} label={group} group={group} count={count} current={wanted} />
          ))}
        </nav>
      )}
      <section class="panel" aria-label="Resources">
        {rows.length === 0 ? (
          <Empty>{wanted === "" ? "No resources." : `No resources in the group ${wanted}.`}</Empty>
        ) : (
          <LiveTable
            label="Resources"
            rows={rows}
            columns={columns}
            keyOf={({ uid }) => uid}
            nameOf={({ name }) => name}
            hrefOf={explorerOf}
          />
        )}
      </section>
      {data.cut.length > 0 && (
        <p class="muted small">
          The first {mostOfKind} of {data.cut.join(", ")} are shown. The Explorer has all.
        </p>
      )}
    </>
  );
}

interface GroupLinkProps {
  readonly label: string;
  /** None: all groups. */
  readonly group?: string;
  readonly count: number;
  readonly current: string;
}

function GroupLink({ label, group, count, current }: GroupLinkProps) {
  const own = group?.toLowerCase();
  return (
    <a
      class="chip"
      href={withQuery(place.value.href, { group: own })}
      aria-current={(own ?? "") === current ? "true" : undefined}
    >
      {label} <span class="muted">{count}</span>
    </a>
  );
}

/** Names of groups are compared without case; the first spelling is shown. */
function groupsOf(items: readonly ProvidedResource[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, readonly [string, number]>();
  for (const { group } of items) {
    const [label, count] = counts.get(group.toLowerCase()) ?? [group, 0];
    counts.set(group.toLowerCase(), [label, count + 1]);
  }
  return [...counts.values()].sort(([one], [other]) => one.localeCompare(other));
}
