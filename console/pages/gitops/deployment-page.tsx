// One deployment: does the target match the commit, why not, and the way back.

import type { ComponentType } from "preact";
import type { DeploymentSubject } from "../../actions/gitops-actions.ts";
import { subjectOfDeployment } from "../../actions/gitops-actions.ts";
import { actionNamed, actionsFor } from "../../actions/table.ts";
import { deploymentsKind, gitopsApi } from "../../api/gitops.ts";
import type { Deployment } from "../../api/gitops.ts";
import { kindNamed, kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { ActionButton, ActionItem } from "../../components/action-button.tsx";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { useSelected } from "../../components/selected.ts";
import { StateIcon } from "../../components/state.tsx";
import { shortCommit } from "../../format/commit.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import type { PageProps } from "../../routes.tsx";
import { copyText } from "../../ui/copy.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Empty, ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { answerOf } from "./answer.ts";
import { DiffTab } from "./diff-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { healthLook, syncLook } from "./looks.ts";
import { TreeTab } from "./tree-tab.tsx";
import "./gitops.css";

export interface TabProps {
  readonly subject: DeploymentSubject;
  readonly deployment: Deployment;
  readonly query: URLSearchParams;
}

const tabs: readonly {
  readonly id: string;
  readonly label: string;
  readonly part: ComponentType<TabProps>;
}[] = [
  { id: "tree", label: "Objects", part: TreeTab },
  { id: "diff", label: "Diff", part: DiffTab },
  { id: "history", label: "History", part: HistoryTab },
];

export function DeploymentPage(props: PageProps) {
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  const kind = kindNamed(deploymentsKind);
  if (kind === undefined) return <Empty>This server has no GitOps module.</Empty>;
  return <Known {...props} kind={kind} />;
}

function Known({ params, query, kind }: PageProps & { readonly kind: KindInfo }) {
  const { namespace = "", name = "", tab = "tree" } = params;
  const { data, error, refetch } = useQuery(
    `deployment ${namespace} ${name}`,
    async (signal) => await gitopsApi.one(kind, { namespace, name }, signal),
    {
      live: (change) =>
        change.kind === kind.id && change.name === name && change.namespace === namespace,
    },
  );
  const subject = data === undefined ? undefined : subjectOfDeployment(kind, data);
  useSelected(subject);
  if (data === undefined || subject === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} />;
  }
  const Shown = (tabs.find(({ id }) => id === tab) ?? tabs[0])?.part ?? TreeTab;
  const counts: Readonly<Record<string, number | undefined>> = {
    tree: data.status?.summary?.objects,
    history: data.status?.history?.length,
  };
  return (
    <div class="stack">
      <Head subject={subject} deployment={data} />
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      <AnswerBanner subject={subject} deployment={data} />
      <Tabs
        label={`Deployment ${name}`}
        current={tab}
        tabs={tabs.map(({ id, label }) => ({
          id,
          label,
          href: paths.deployment(namespace, name, id),
          count: counts[id],
        }))}
      />
      <Shown subject={subject} deployment={data} query={query} />
    </div>
  );
}

type HeadProps = Pick<TabProps, "subject" | "deployment">;

function Head({ subject, deployment }: HeadProps) {
  const { status = {}, spec } = deployment;
  const { source = {} } = spec;
  const { phase, startedAt, finishedAt } = status.operationState ?? {};
  const folder = <span class="mono">{source.path}</span>;
  const ref = source.targetRevision ?? "the default branch";
  return (
    <header>
      <div class="row resource-title">
        <h1>{subject.name}</h1>
        <StateIcon look={syncLook(status.sync?.status)} isChip />
        <StateIcon look={healthLook(status.health?.status)} isChip />
        <Buttons subject={subject} />
      </div>
      <p class="muted">
        <span class="mono">{source.repoURL}</span>, folder {folder}, {ref}
        {status.sync?.revision !== undefined && (
          <>
            {" "}
            at{" "}
            <span class="mono" title={status.sync.revision}>
              {shortCommit(status.sync.revision)}
            </span>
          </>
        )}
        . {spec.type === "manual" ? "Manual" : "Automated"}
        {phase !== undefined && (
          <>
            , last sync <Time at={finishedAt ?? startedAt} />
          </>
        )}
        .
      </p>
    </header>
  );
}

/** Beside the title; the others are in the menu. */
const inRow: ReadonlySet<string> = new Set(["gitops-sync", "gitops-unpin", "gitops-delete"]);
/** What the banner offers, and what its own action replaces. */
const notInMenu: ReadonlySet<string> = new Set(["gitops-prune", "delete", "reconcile"]);

function Buttons({ subject }: { subject: DeploymentSubject }) {
  const fitting = actionsFor(subject);
  const { name, namespace } = subject;
  return (
    <div class="row end">
      {fitting
        .filter(({ id }) => inRow.has(id) && id !== "gitops-delete")
        .map((action) => (
          <ActionButton key={action.id} action={action} subject={subject} hasShortcut />
        ))}
      <Menu label="More actions" icon="more" class="page-menu">
        {fitting
          .filter(({ id }) => id === "gitops-delete" || !(inRow.has(id) || notInMenu.has(id)))
          .map((action) => (
            <ActionItem key={action.id} action={action} subject={subject} hasShortcut />
          ))}
        <MenuLine />
        <MenuItem href={paths.resource({ kind: subject.kind.id, namespace, name })}>
          Open in the Explorer
        </MenuItem>
        <MenuItem onClick={() => void copyText(`setpoint gitops get ${name} -n ${namespace}`)}>
          Copy as command
        </MenuItem>
      </Menu>
    </div>
  );
}

function AnswerBanner({ subject, deployment }: HeadProps) {
  const { tone, title, text } = answerOf(deployment);
  const prune = actionNamed("gitops-prune");
  const isHeld = deployment.status?.prune !== undefined;
  // What is well needs no banner.
  if (tone === "ready") return <p class="strong">{title}.</p>;
  return (
    <CauseBanner
      tone={tone}
      title={title}
      actions={
        prune !== undefined && isHeld ? (
          <ActionButton action={prune} subject={subject} />
        ) : undefined
      }
    >
      {text !== undefined && text !== "" && <p>{sentence(text)}</p>}
    </CauseBanner>
  );
}
