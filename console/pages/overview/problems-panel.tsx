import { insight } from "../../api/insight.ts";
import type { ProblemGroup } from "../../api/types.ts";
import { StateIcon } from "../../components/state.tsx";
import { countText } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { lookOf, stateOrder } from "../../states/states.ts";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";

/** What is not ready, grouped by reason; failures first. */
export function ProblemsPanel({ namespace }: { namespace: string }) {
  const { data, error, refetch } = useQuery(
    `problems ${namespace}`,
    async (signal) => await insight.problems({ namespace }, signal),
    { live: () => true },
  );
  const groups = [...(data?.groups ?? [])].sort(
    (one, other) => stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state),
  );
  return (
    <Panel
      title="Problems by reason"
      note={groups.length === 0 ? undefined : "failed first"}
      side={
        data !== undefined && data.total > 0 ? (
          <span class="muted">{countText(data.total)} in all</span>
        ) : undefined
      }
    >
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && groups.length === 0 && <Empty>Nothing to do: all are ready.</Empty>}
      {groups.length > 0 && (
        <table class="table problems">
          <thead>
            <tr>
              <th scope="col">Reason</th>
              <th scope="col">Resource</th>
              <th scope="col" class="right wide-only">
                Count
              </th>
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <Problem key={`${group.kind} ${group.state} ${group.reason}`} group={group} />
            ))}
          </tbody>
        </table>
      )}
      {data?.omitted !== undefined && (
        <p class="muted small panel-body">{countText(data.omitted)} more reasons are not shown.</p>
      )}
    </Panel>
  );
}

function Problem({ group }: { group: ProblemGroup }) {
  const { kind, name, state, reason, count, message, examples } = group;
  const [first] = examples;
  const more = count - 1;
  const look = lookOf(state);
  const list = paths.kind(kind, { q: `state:${state.toLowerCase()} reason:${reason}` });
  return (
    <tr>
      <td>
        <a href={list}>
          <StateIcon look={look} word={reason || look.word} />
        </a>
      </td>
      <td>
        {first !== undefined && (
          <a
            href={paths.resource({ kind, namespace: first.namespace ?? "", name: first.name })}
            class="problem-name"
          >
            {name}/<span class="mono">{first.name}</span>
          </a>
        )}
        {more > 0 && (
          <a href={list} class="muted">
            {" "}
            and {countText(more)} more
          </a>
        )}
        {message !== undefined && <span class="sub">{message}</span>}
      </td>
      <td class="right wide-only">{countText(count)}</td>
    </tr>
  );
}
