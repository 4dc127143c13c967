// One rollout: which wave it is in, whether its gates hold, and what failed.

import { subjectOfRollout } from "../../actions/rollout-actions.ts";
import { rolloutsKind } from "../../api/fleet.ts";
import type { Rollout } from "../../api/fleet.ts";
import { kinds } from "../../api/kinds.ts";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { useSelected } from "../../components/selected.ts";
import { StateIcon } from "../../components/state.tsx";
import { plural } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import type { PageProps } from "../../routes.tsx";
import { Empty, ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { rolloutAnswer } from "./headline.ts";
import { ItemButtons } from "./item-buttons.tsx";
import { rolloutLook } from "./looks.ts";
import { useItem } from "./use-item.ts";
import { versionsText } from "./versions-text.ts";
import { WavesPanel } from "./waves-panel.tsx";
import "./fleet.css";

export function RolloutPage({ params }: PageProps) {
  const { name = "" } = params;
  const { data, error, refetch, kind } = useItem<Rollout>(rolloutsKind, "", name);
  const subject =
    kind === undefined || data === undefined ? undefined : subjectOfRollout(kind, data);
  useSelected(subject);
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  if (kind === undefined) return <Empty>This server has no fleet module.</Empty>;
  if (data === undefined || subject === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} />;
  }
  const { spec, status = {} } = data;
  const answer = rolloutAnswer(data);
  return (
    <div class="stack fleet">
      <header>
        <div class="row resource-title">
          <h1>{name}</h1>
          <StateIcon look={rolloutLook(data)} isChip />
          <ItemButtons
            subject={subject}
            inRow={["rollout-pause", "rollout-resume", "rollout-retry", "rollout-rollback"]}
            without={["reconcile", "pause", "resume"]}
          />
        </div>
        <p class="muted">
          {plural(status.total ?? 0, "instance")} of {spec.offering} to{" "}
          <span class="mono">{versionsText(spec.versions)}</span>
          {status.startedAt !== undefined && (
            <>
              , started <Time at={status.startedAt} />
            </>
          )}
          {status.endedAt !== undefined && (
            <>
              , ended <Time at={status.endedAt} />
            </>
          )}
          .
        </p>
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {answer !== undefined && (
        <CauseBanner tone={answer.tone} title={answer.title}>
          {answer.text !== undefined && answer.text !== "" && <p>{sentence(answer.text)}</p>}
        </CauseBanner>
      )}
      <div class="columns">
        <div class="stack">
          <WavesPanel rollout={data} />
          <Failures rollout={data} />
          <History rollout={data} />
        </div>
        <Side rollout={data} />
      </div>
    </div>
  );
}

function Side({ rollout }: { rollout: Rollout }) {
  const { status = {} } = rollout;
  return (
    <div class="stack">
      <Panel title="Gates">
        <Facts facts={gateFacts(rollout)} />
      </Panel>
      <Panel title="Instances">
        <Facts
          facts={[
            ["Selected", selectorText(rollout)],
            ["Updated", String(status.updated ?? 0)],
            ["Healthy", String(status.healthy ?? 0)],
            ["Updating", String(status.updating ?? 0)],
            ["Failed", String(status.failed ?? 0)],
            ["Waiting", String(status.waiting ?? 0)],
            ...((status.reverted ?? 0) > 0 ? [["Reverted", String(status.reverted)] as const] : []),
          ]}
        />
        {(status.waitingFor ?? []).map(({ reason, instances }) => (
          <p key={reason} class="panel-body muted small">
            {plural(instances, "instance")}: {reason}
          </p>
        ))}
      </Panel>
    </div>
  );
}

function gateFacts({ spec, status = {} }: Rollout): readonly (readonly [string, string])[] {
  const { maxFailed, maxFailedPercent, notReadySeconds = 600, condition } = spec.gates ?? {};
  const failed = status.failed ?? 0;
  const most = maxFailed ?? (maxFailedPercent === undefined ? 0 : undefined);
  return [
    ...(most === undefined ? [] : [["Failed", `${failed} of at most ${most}`] as const]),
    ...(maxFailedPercent === undefined
      ? []
      : [["Failed, share", `${failed} of at most ${maxFailedPercent} %`] as const]),
    ["Counts as failed", `not ready for ${notReadySeconds} s`],
    ...(condition === undefined ? [] : [["Condition", condition] as const]),
    ["When a gate fails", spec.onFailure === "rollback" ? "it rolls back" : "it pauses"],
  ];
}

function selectorText({ spec }: Rollout): string {
  const parts = Object.entries(spec.selector ?? {}).map(
    ([field, values]) => `${field} ${values.join(", ")}`,
  );
  return parts.length === 0 ? "all instances" : parts.join("; ");
}

function Failures({ rollout: { spec, status = {} } }: { rollout: Rollout }) {
  const { failures = [] } = status;
  if (failures.length === 0) return null;
  return (
    <Panel title="Failed instances" note={`${failures.length} of ${status.failed ?? 0}`}>
      <table class="table">
        <tbody>
          {failures.map(({ id, namespace, name, reason }) => (
            <tr key={id}>
              <td>
                <StateIcon look={{ tone: "failed", word: "Failed" }} />
              </td>
              <td>
                <a class="strong mono" href={paths.fleetInstance(spec.offering, namespace, name)}>
                  {name}
                </a>
                <span class="sub">{sentence(reason)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function History({ rollout: { status = {} } }: { rollout: Rollout }) {
  const entries = (status.history ?? []).toReversed();
  return (
    <Panel title="History" note="newest first">
      {entries.length === 0 && <Empty>Nothing has happened yet.</Empty>}
      <table class="table">
        <tbody>
          {entries.map(({ at, event, message = "" }) => (
            <tr key={`${at} ${event}`}>
              <td class="muted nowrap when">
                <Time at={at} />
              </td>
              <td>
                <span class={event === "GateFailed" ? "t-failed strong" : "strong"}>{event}</span>
                {message !== "" && <span class="sub">{sentence(message)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
