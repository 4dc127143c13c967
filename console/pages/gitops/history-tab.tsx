// The commits that the deployment had in its target, newest first, and the way back.

import { pinOf, rollBackDeployment, rollbackOff } from "../../actions/gitops-actions.ts";
import type { HistoryEntry } from "../../api/gitops.ts";
import { StateIcon } from "../../components/state.tsx";
import { shortCommit } from "../../format/commit.ts";
import { spanText } from "../../format/time.ts";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import type { TabProps } from "./deployment-page.tsx";

export function HistoryTab({ subject, deployment }: TabProps) {
  const history = (deployment.status?.history ?? []).toReversed();
  return (
    <Panel title="Deployed commits" note="newest first, the last 10">
      {history.length === 0 && (
        <Empty>No sync has succeeded yet. The first one adds its commit here.</Empty>
      )}
      {history.length > 0 && (
        <ul class="history" aria-label="Deployed commits">
          {history.map((entry, at) => (
            <Entry
              key={entry.id}
              entry={entry}
              isPresent={at === 0}
              subject={subject}
              deployment={deployment}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}

type EntryProps = Pick<TabProps, "subject" | "deployment"> & {
  readonly entry: HistoryEntry;
  readonly isPresent: boolean;
};

const triggers: Readonly<Record<string, string>> = {
  Automated: "a new commit",
  SyncRun: "a sync run",
  Rollback: "a rollback",
};

function Entry({ entry, isPresent, subject, deployment }: EntryProps) {
  const { revision, trigger = "", startedAt, deployedAt } = entry;
  const tookMs = Date.parse(deployedAt ?? "") - Date.parse(startedAt ?? "");
  const isPinned = pinOf(deployment) === revision;
  const { namespace, name } = subject;
  const off = isPresent ? "This commit is deployed." : rollbackOff(subject, deployment);
  return (
    <li>
      <span class="row commit">
        <code class="strong nowrap" title={revision}>
          {shortCommit(revision)}
        </code>
        <Copy text={revision} label="Copy the commit" />
        {isPresent && <StateIcon look={{ tone: "ready", word: "Deployed" }} />}
        {isPinned && <StateIcon look={{ tone: "paused", word: "Pinned" }} />}
      </span>
      <span class="muted history-when">
        <Time at={deployedAt} /> by {triggers[trigger] ?? trigger}
        {tookMs >= 1_000 && `, took ${spanText(tookMs)}`}
      </span>
      <span class="row end">
        {!isPresent && (
          <Button look="link" href={paths.deployment(namespace, name, "diff", { rev: revision })}>
            Compare
          </Button>
        )}
        <Button off={off} onClick={() => void rollBackDeployment(subject, deployment, entry)}>
          Roll back
        </Button>
      </span>
    </li>
  );
}
