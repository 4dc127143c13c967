// The newest plan: what a deployment would change, and its approval.

import { approvePlan } from "../../actions/environment-actions.ts";
import { environmentsApi } from "../../api/environments.ts";
import type { Plan, PlannedChange, PlannedField } from "../../api/environments.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import type { TabProps } from "./environment-page.tsx";
import { fieldText, planSentence } from "./plan-text.ts";

const plansKind = "plans.environments.setpoint.dev";

export function PlanTab({ place, query }: TabProps) {
  const { namespace, id } = place;
  const { data, error, refetch } = useQuery(
    `plans ${namespace} ${id}`,
    async (signal) => await environmentsApi.plans(place, signal),
    { live: (change) => change.kind === plansKind && change.namespace === namespace },
  );
  if (data === undefined) {
    return error === undefined ? <Skeleton /> : <ErrorPanel error={error} onRetry={refetch} />;
  }
  const plans = [...data.items].sort((one, other) => other.createdAt.localeCompare(one.createdAt));
  const shown = plans.find((plan) => plan.id === query.get("plan")) ?? plans[0];
  const command = `setpoint env plan ${id} -n ${namespace} --set NAME=VALUE`;
  if (shown === undefined) {
    return (
      <Empty action={<Copy text={command} label="Copy the command" word="Copy the command" />}>
        No plan. A plan shows what a change would do, before it is made: <code>{command}</code>
      </Empty>
    );
  }
  return (
    <div class="columns">
      <PlanView plan={shown} namespace={namespace} isNewest={shown === plans[0]} />
      <Panel title="Plans" note={`${plans.length}`}>
        <table class="table">
          <tbody>
            {plans.map((plan) => (
              <tr key={plan.uid}>
                <td>
                  <a
                    class="mono"
                    href={paths.environment(namespace, id, "plan", { plan: plan.id })}
                    aria-current={plan === shown ? "true" : undefined}
                  >
                    {plan.id}
                  </a>
                </td>
                <td class="muted">
                  <Time at={plan.createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </div>
  );
}

interface PlanProps {
  readonly plan: Plan;
  readonly namespace: string;
  readonly isNewest: boolean;
}

function PlanView({ plan, namespace, isNewest }: PlanProps) {
  const { status = {}, id } = plan;
  const changes = (status.changes ?? []).filter(({ action }) => action !== "none");
  const off =
    status.phase !== "Ready"
      ? `The plan is ${status.phase ?? "not ready"}: only a Ready plan can be approved.`
      : isNewest
        ? undefined
        : "A newer plan exists.";
  return (
    <Panel
      title={planSentence(status)}
      side={
        <Button
          look="main"
          off={off}
          onClick={() => void approvePlan({ namespace, id }, planSentence(status))}
        >
          Approve
        </Button>
      }
    >
      {status.phase === "Failed" && <p class="panel-body t-failed">{status.message}</p>}
      {changes.length === 0 && <Empty>Nothing changes.</Empty>}
      {changes.length > 0 && (
        <table class="table">
          <tbody>
            {changes.map((change) => (
              <ChangeRow key={change.resource} change={change} />
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

const tones: Readonly<Record<string, string>> = {
  add: "t-ready",
  remove: "t-failed",
  replace: "t-failed",
};

function ChangeRow({ change }: { change: PlannedChange }) {
  const { resource, kind, action = "", fields = [], willRun } = change;
  return (
    <tr>
      <td class={`strong nowrap ${tones[action] ?? "t-progressing"}`}>{action}</td>
      <td>
        <span class="mono">{resource}</span> <span class="muted">{kind}</span>
        {willRun === true && <span class="sub muted">will run</span>}
        {fields.length > 0 && (
          <ul class="plan-fields">
            {fields.map((field: PlannedField) => (
              <li key={field.path}>
                <code>{field.path}</code> {fieldText(field)}
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
