// One environment: its graph, plan, logs and history.

import type { ComponentType } from "preact";
import type { Subject } from "../../actions/action.ts";
import { subjectOfEnvironment } from "../../actions/environment-actions.ts";
import { actionsFor } from "../../actions/table.ts";
import { kindNamed, kinds } from "../../api/kinds.ts";
import { environmentsApi } from "../../api/environments.ts";
import type { Environment, Place } from "../../api/environments.ts";
import { ActionButton, ActionItem } from "../../components/action-button.tsx";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { useSelected } from "../../components/selected.ts";
import { StateIcon } from "../../components/state.tsx";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import type { PageProps } from "../../routes.tsx";
import { copyText } from "../../ui/copy.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Countdown } from "./countdown.tsx";
import { environmentsKind } from "./environments-page.tsx";
import { GraphTab } from "./graph-tab.tsx";
import { failureOf, progressText } from "./headline.ts";
import { HistoryTab } from "./history-tab.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { phaseLook } from "./looks.ts";
import { PlanTab } from "./plan-tab.tsx";
import "./environments.css";

export interface TabProps {
  readonly place: Place;
  readonly environment: Environment;
  readonly query: URLSearchParams;
}

const tabs: readonly { readonly id: string; readonly label: string; readonly part: Part }[] = [
  { id: "graph", label: "Graph", part: GraphTab },
  { id: "plan", label: "Plan", part: PlanTab },
  { id: "logs", label: "Logs", part: LogsTab },
  { id: "history", label: "History", part: HistoryTab },
];
type Part = ComponentType<TabProps>;

/** Beside the title; the others are in the menu. */
const inRow: ReadonlySet<string> = new Set([
  "env-extend",
  "env-retry",
  "env-cancel",
  "env-destroy",
]);

export function EnvironmentPage({ params, query }: PageProps) {
  const { namespace = "", name: id = "", tab = "graph" } = params;
  const place = { namespace, id };
  const { data, error, refetch } = useQuery(
    `environment ${namespace} ${id}`,
    async (signal) => await environmentsApi.one(place, signal),
    {
      live: (change) =>
        change.kind === environmentsKind && change.name === id && change.namespace === namespace,
    },
  );
  const kind = kinds.value === undefined ? undefined : kindNamed(environmentsKind);
  const subject =
    kind === undefined || data === undefined ? undefined : subjectOfEnvironment(kind, data);
  useSelected(subject);
  if (data === undefined) {
    return error === undefined ? (
      <Skeleton lines={8} />
    ) : (
      <ErrorPanel error={error} onRetry={refetch} />
    );
  }
  const Shown = (tabs.find((each) => each.id === tab) ?? tabs[0])?.part ?? GraphTab;
  return (
    <div class="stack environment">
      <header>
        <div class="row resource-title">
          <h1>{data.spec.displayName ?? id}</h1>
          <StateIcon look={phaseLook(data.status?.phase)} isChip />
          {subject !== undefined && <Buttons subject={subject} />}
        </div>
        <Summary environment={data} />
        <EntryPoints environment={data} />
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      <FailureBanner environment={data} />
      <Tabs
        label={`Environment ${id}`}
        current={tab}
        tabs={tabs.map((each) => ({
          id: each.id,
          label: each.label,
          href: paths.environment(namespace, id, each.id),
        }))}
      />
      <Shown place={place} environment={data} query={query} />
    </div>
  );
}

function FailureBanner({ environment }: { environment: Environment }) {
  const failure = failureOf(environment);
  if (failure === undefined) return null;
  return (
    <CauseBanner tone="failed" title={failure.title}>
      {failure.text !== "" && <p>{failure.text}</p>}
    </CauseBanner>
  );
}

function Buttons({ subject }: { subject: Subject }) {
  const fitting = actionsFor(subject);
  const command = `setpoint env show ${subject.name} -n ${subject.namespace}`;
  return (
    <div class="row end">
      {fitting
        .filter(({ id }) => inRow.has(id))
        .map((action) => (
          <ActionButton key={action.id} action={action} subject={subject} hasShortcut />
        ))}
      <Menu label="More actions" icon="more" class="page-menu">
        {fitting
          .filter(({ id }) => !inRow.has(id))
          .map((action) => (
            <ActionItem key={action.id} action={action} subject={subject} />
          ))}
        <MenuLine />
        <MenuItem onClick={() => void copyText(command)}>Copy as command</MenuItem>
      </Menu>
    </div>
  );
}

function Summary({ environment }: { environment: Environment }) {
  const { namespace, id, spec, status } = environment;
  const due = status?.plannedDestructionAt;
  return (
    <>
      <p>{progressText(environment)}</p>
      <p class="muted">
        <span class="mono">
          {namespace}/{id}
        </span>
        , from {spec.templates.join(", ")}
        {due !== undefined && (
          <>
            , destroyed in <Countdown at={due} />
          </>
        )}
        .
      </p>
      {status?.drift?.state === "Drifted" && (
        <p>
          <StateIcon look={{ tone: "drifted", word: "It differs from what was deployed." }} />
        </p>
      )}
    </>
  );
}

/** Links of other hosts: only http and https are links, and they open apart from the console. */
function EntryPoints({ environment }: { environment: Environment }) {
  const links = (environment.status?.entryPoints ?? []).flatMap(({ name, url = "" }) =>
    /^https?:\/\//.test(url) ? [{ name: name ?? url, url }] : [],
  );
  if (links.length === 0) return null;
  return (
    <p class="row">
      {links.map(({ name, url }) => (
        <a key={name} class="link" href={url} target="_blank" rel="noreferrer noopener">
          {name}
        </a>
      ))}
    </p>
  );
}
