// What was done with the environment, newest first, and the way back to an earlier deployment.

import { rollBackEnvironment } from "../../actions/environment-actions.ts";
import { environmentsApi } from "../../api/environments.ts";
import type { Operation } from "../../api/environments.ts";
import { StateIcon } from "../../components/state.tsx";
import { spanText } from "../../format/time.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import type { TabProps } from "./environment-page.tsx";
import { operationLook, phaseLook } from "./looks.ts";

const operationsKind = "operations.environments.setpoint.dev";

export function HistoryTab({ place, environment }: TabProps) {
  const { namespace, id } = place;
  const { data, error, refetch } = useQuery(
    `operations ${namespace} ${id}`,
    async (signal) => await environmentsApi.operations(place, signal),
    { live: (change) => change.kind === operationsKind && change.namespace === namespace },
  );
  if (data === undefined) {
    return error === undefined ? <Skeleton /> : <ErrorPanel error={error} onRetry={refetch} />;
  }
  const operations = [...data.items].sort((one, other) => other.revision - one.revision);
  const transitions = (environment.status?.transitions ?? []).toReversed();
  return (
    <div class="columns">
      <Panel title="Operations" note="newest first">
        {operations.length === 0 && <Empty>No operations.</Empty>}
        <table class="table">
          <tbody>
            {operations.map((operation) => (
              <OperationRow
                key={operation.uid}
                operation={operation}
                deployed={environment.status?.deployed?.operation}
                isBeingDestroyed={environment.status?.phase === "Destroying"}
              />
            ))}
          </tbody>
        </table>
      </Panel>
      <Panel title="Changes of state" note="last 50">
        <table class="table">
          <tbody>
            {transitions.map(({ at, phase, reason }) => (
              <tr key={`${at} ${phase} ${reason}`}>
                <td>
                  <StateIcon look={phaseLook(phase)} />
                  {reason !== undefined && reason !== phase && (
                    <span class="sub muted">{reason}</span>
                  )}
                </td>
                <td class="muted right">
                  <Time at={at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </div>
  );
}

interface RowProps {
  readonly operation: Operation;
  /** The operation of the present deployment. */
  readonly deployed: string | undefined;
  readonly isBeingDestroyed: boolean;
}

function OperationRow({ operation, deployed, isBeingDestroyed }: RowProps) {
  const { id, namespace, spec, status = {} } = operation;
  const { startedAt, endedAt, message, progress } = status;
  const took =
    startedAt !== undefined && endedAt !== undefined
      ? spanText(Date.parse(endedAt) - Date.parse(startedAt))
      : undefined;
  const isDeployment = spec.type === "Deploy" || spec.type === "Rollback";
  const off =
    deployed === id
      ? "This is the present deployment."
      : isBeingDestroyed
        ? "The environment is being destroyed."
        : undefined;
  return (
    <tr>
      <td>
        <StateIcon look={operationLook(status.phase)} />
      </td>
      <td>
        <a href={paths.resource({ kind: operationsKind, namespace, name: id })}>
          {spec.type}
          {spec.action === undefined ? "" : ` ${spec.action}`}
        </a>{" "}
        <span class="muted">by {spec.requestedBy ?? "the server"}</span>
        <span class="sub muted">
          {message ??
            (progress === undefined ? "" : `${progress.done} of ${progress.of} resources`)}
        </span>
      </td>
      <td class="muted right nowrap">
        <Time at={startedAt ?? operation.createdAt} />
        {took !== undefined && <span class="sub">took {took}</span>}
      </td>
      <td class="right">
        {isDeployment && status.phase === "Succeeded" && (
          <Button
            off={off}
            onClick={() => void rollBackEnvironment({ namespace, id: spec.environment }, id)}
          >
            Roll back to it
          </Button>
        )}
      </td>
    </tr>
  );
}
