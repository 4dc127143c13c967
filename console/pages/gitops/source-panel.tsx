// Where the objects come from, where they are applied and as whom.

import type { Deployment } from "../../api/gitops.ts";
import { StateIcon } from "../../components/state.tsx";
import { spanText } from "../../format/time.ts";
import { paths } from "../../paths.ts";
import { sentence } from "../../ui/notice.tsx";
import { Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { operationLook } from "./looks.ts";

const environmentsKind = "gitopsdeploymentmanagedenvironments.gitops.setpoint.dev";

export function SourcePanel({ deployment }: { deployment: Deployment }) {
  const { spec, status = {}, metadata } = deployment;
  const { namespace = "" } = metadata;
  const environment = spec.destination?.environment ?? "";
  const { phase, operation, message, startedAt, finishedAt, nextRetryAt } =
    status.operationState ?? {};
  const tookMs = Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "");
  const isDone = phase === "Succeeded";
  return (
    <Panel title="Last sync" side={<StateIcon look={operationLook(phase)} />}>
      {!isDone && message !== undefined && message !== "" && (
        <p class="panel-body node-message">{sentence(message)}</p>
      )}
      <Facts
        facts={[
          ...(operation?.trigger === undefined
            ? []
            : [["Started by", triggerText(operation.trigger)] as const]),
          ...(finishedAt === undefined
            ? []
            : [
                [
                  "Ended",
                  <>
                    <Time at={finishedAt} />
                    {tookMs >= 1_000 && ` after ${spanText(tookMs)}`}
                  </>,
                ] as const,
              ]),
          ...(nextRetryAt === undefined || isDone
            ? []
            : [["Next try", <Time key="next" at={nextRetryAt} />] as const]),
          ["Tool", status.source?.tool ?? "not known yet"],
          [
            "Target",
            environment === "" ? (
              "this server"
            ) : (
              <a
                class="link"
                href={paths.resource({ kind: environmentsKind, namespace, name: environment })}
              >
                {environment}
              </a>
            ),
          ],
          ["Acts as", spec.serviceAccountName ?? "gitops"],
          ["Deletes", (spec.syncPolicy?.prune ?? spec.type !== "manual") ? "yes" : "no"],
        ]}
      />
    </Panel>
  );
}

const triggers: Readonly<Record<string, string>> = {
  Automated: "a new commit",
  SelfHeal: "a change of an object",
  SyncRun: "a sync run",
  Rollback: "a rollback",
  Deletion: "the deletion",
};

function triggerText(trigger: string): string {
  return triggers[trigger] ?? trigger;
}
