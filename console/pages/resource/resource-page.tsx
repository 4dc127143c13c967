// One resource: why is it so, change it, what was it.

import type { ComponentChildren } from "preact";
import type { Subject } from "../../actions/action.ts";
import { actionsFor } from "../../actions/table.ts";
import { findKind, kindNamed, kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { kube } from "../../api/kube.ts";
import { isStatus } from "../../api/client.ts";
import type { Explanation, Resource } from "../../api/types.ts";
import { ActionButton, ActionItem } from "../../components/action-button.tsx";
import { StateIcon } from "../../components/state.tsx";
import { useSelected } from "../../components/selected.ts";
import { countText } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import type { ResourceTab } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { resourceTabs } from "../../routes.tsx";
import type { PageProps } from "../../routes.tsx";
import { whyLook } from "../../states/states.ts";
import { Button } from "../../ui/button.tsx";
import { copyText } from "../../ui/copy.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { Answer } from "./answer.tsx";
import { subjectOfDocument } from "./document-subject.ts";
import { TabContent } from "./tab-content.tsx";
import "./resource.css";

export function ResourcePage({ params, query }: PageProps) {
  const { kind: id = "", namespace: place = "-", name = "", tab } = params;
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  const kind = kindNamed(id) ?? findKind(id);
  if (kind === undefined) {
    return (
      <Empty action={<Button href={paths.explorer()}>Show all kinds</Button>}>
        This server serves no kind {id}.
      </Empty>
    );
  }
  const namespace = place === "-" ? "" : place;
  const shown = resourceTabs.find((each) => each.id === tab)?.id ?? "why";
  return (
    <ResourceView
      key={`${kind.id} ${namespace} ${name}`}
      kind={kind}
      namespace={namespace}
      name={name}
      tab={shown}
      query={query}
    />
  );
}

export interface Viewed {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
}

interface ViewProps extends Viewed {
  readonly tab: ResourceTab;
  readonly query: URLSearchParams;
}

export function useDocument({ kind, namespace, name }: Viewed) {
  return useQuery<Resource>(
    `document ${kind.id} ${namespace} ${name}`,
    async (signal) => await kube.get(kind, { namespace, name }, signal),
    {
      live: (change) =>
        change.kind === kind.id && change.name === name && (change.namespace ?? "") === namespace,
    },
  );
}

/** The explanation depends on other resources as well, so every change may change it. */
export function useWhy({ kind, namespace, name }: Viewed) {
  return useQuery<Explanation>(
    `why ${kind.id} ${namespace} ${name}`,
    async (signal) => (await kube.why(kind, { namespace, name }, signal)) as unknown as Explanation,
    { live: () => true },
  );
}

function ResourceView({ kind, namespace, name, tab, query }: ViewProps) {
  const viewed = { kind, namespace, name };
  const document = useDocument(viewed);
  const why = useWhy(viewed);
  const state = why.data?.resource.state;
  const isMissing = isStatus(document.error, 404);
  const subject =
    document.data === undefined || isMissing
      ? undefined
      : subjectOfDocument(kind, document.data, state);
  useSelected(subject);
  const address = { kind: kind.id, namespace, name };
  if (document.data === undefined && document.error !== undefined && !isMissing) {
    return <ErrorPanel error={document.error} onRetry={document.refetch} />;
  }
  return (
    <div class="stack resource">
      <Head viewed={viewed} state={isMissing ? undefined : state} subject={subject}>
        {document.data !== undefined && !isMissing && (
          <Summary viewed={viewed} document={document.data} />
        )}
      </Head>
      {isMissing ? (
        <Missing viewed={viewed} />
      ) : (
        <Answer viewed={viewed} why={why.data} subject={subject} />
      )}
      <Tabs
        label={`${kind.kind}/${name}`}
        current={tab}
        tabs={resourceTabs
          .filter(({ id }) => !isMissing || id === "history")
          .map(({ id, label }) => ({ id, label, href: paths.resource(address, id) }))}
      />
      <TabContent
        tab={isMissing ? "history" : tab}
        viewed={viewed}
        document={document.data}
        why={why}
        query={query}
      />
    </div>
  );
}

interface HeadProps {
  readonly viewed: Viewed;
  /** That of `why`. */
  readonly state: string | undefined;
  readonly subject: Subject | undefined;
  readonly children: ComponentChildren;
}

function Head({ viewed, state, subject, children }: HeadProps) {
  const { kind, name } = viewed;
  return (
    <header class="resource-head">
      <div class="row resource-title">
        <h1>
          <span class="muted h1-kind">{kind.kind}/</span>
          {name}
        </h1>
        {state !== undefined && <StateIcon look={whyLook(state)} isChip />}
        {subject !== undefined && <Buttons viewed={viewed} subject={subject} />}
      </div>
      {children}
    </header>
  );
}

function Buttons({ viewed, subject }: { viewed: Viewed; subject: Subject }) {
  const fitting = actionsFor(subject);
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
            <ActionItem key={action.id} action={action} subject={subject} hasShortcut />
          ))}
        <MenuLine />
        <MenuItem onClick={() => void copyText(getCommand(viewed))}>Copy as kubectl</MenuItem>
        <MenuItem onClick={() => void copyText(viewed.name)}>Copy the name</MenuItem>
      </Menu>
    </div>
  );
}

/** Beside the title; the others are in the menu. */
const inRow: ReadonlySet<string> = new Set(["reconcile", "pause", "resume", "edit", "delete"]);

function getCommand({ kind, namespace, name }: Viewed): string {
  return `kubectl get ${kind.id} ${name}${namespace === "" ? "" : ` -n ${namespace}`} -o yaml`;
}

function Summary({ viewed, document }: { viewed: Viewed; document: Resource }) {
  const { kind, namespace } = viewed;
  const { generation, resourceVersion, creationTimestamp } = document.metadata;
  const seen = document.status?.["observedGeneration"];
  return (
    <p class="muted">
      {namespace !== "" && (
        <>
          Namespace{" "}
          <a class="mono resource-place" href={paths.kind(kind.id, { ns: namespace })}>
            {namespace}
          </a>
          ,{" "}
        </>
      )}
      {generation !== undefined && (
        <>
          generation {countText(generation)}
          {typeof seen === "number" && (seen === generation ? " (seen)" : ` (${seen} seen)`)},{" "}
        </>
      )}
      revision <span class="mono">{countText(Number(resourceVersion ?? 0))}</span>, created{" "}
      <Time at={creationTimestamp} />.
    </p>
  );
}

function Missing({ viewed: { kind, namespace, name } }: { viewed: Viewed }) {
  return (
    <Empty
      action={<Button href={paths.kind(kind.id, { ns: namespace })}>Show all {kind.plural}</Button>}
    >
      {kind.kind}/{name} does not exist{namespace === "" ? "" : ` in ${namespace}`}. Its history may
      still be known.
    </Empty>
  );
}
