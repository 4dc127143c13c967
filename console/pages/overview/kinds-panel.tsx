import { insight } from "../../api/insight.ts";
import { kindNamed } from "../../api/kinds.ts";
import type { KindCount } from "../../api/types.ts";
import { StateBar } from "../../components/state.tsx";
import { countText } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { Empty } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";

interface KindsPanelProps {
  readonly kinds: readonly KindCount[];
  readonly namespace: string;
}

const shownKinds = 12;
const workerWords: Readonly<Record<string, string>> = {
  here: "on this server",
  none: "none runs",
  unknown: "on other servers",
};

export function KindsPanel({ kinds, namespace }: KindsPanelProps) {
  const { data } = useQuery("operations", async (signal) => await insight.operations({}, signal), {
    live: () => true,
  });
  const used = kinds.filter(({ total }) => total > 0).sort((one, other) => other.total - one.total);
  const where = namespace === "" ? {} : { ns: namespace };
  const queueOf = (kind: string) => data?.queues.find(({ resource }) => resource === kind);
  return (
    <Panel
      title="Kinds"
      side={
        <a class="link" href={paths.explorer(where)}>
          All kinds
        </a>
      }
    >
      {used.length === 0 ? (
        <Empty>No kind has resources yet.</Empty>
      ) : (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col" class="right">
                Total
              </th>
              <th scope="col">State</th>
              <th scope="col" class="right wide-only">
                Due
              </th>
              <th scope="col" class="wide-only">
                Workers
              </th>
            </tr>
          </thead>
          <tbody>
            {used.slice(0, shownKinds).map(({ kind, name, total, states }) => {
              const queue = queueOf(kind);
              return (
                <tr key={kind}>
                  <td>
                    <a href={paths.kind(kind, where)}>{name}</a>{" "}
                    <span class="muted small wide-only">{kindNamed(kind)?.group}</span>
                  </td>
                  <td class="right">{countText(total)}</td>
                  <td>
                    <StateBar states={states} isSmall />
                  </td>
                  <td class="right wide-only">{queue === undefined ? "" : countText(queue.due)}</td>
                  <td class="muted nowrap wide-only">
                    {queue?.workers === undefined ? "" : workerWords[queue.workers]}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
