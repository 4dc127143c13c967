// One connection: the service, the kinds that are kept in it, and the next requests.

import type { ComponentType } from "preact";
import { actionsFor } from "../../actions/table.ts";
import type { Subject } from "../../actions/action.ts";
import { connectApi, connectionsKind } from "../../api/connect.ts";
import type { Connection, RestKind } from "../../api/connect.ts";
import { kindNamed, kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { ActionItem } from "../../components/action-button.tsx";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { useSelected } from "../../components/selected.ts";
import { StateIcon } from "../../components/state.tsx";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import type { PageProps } from "../../routes.tsx";
import { Button } from "../../ui/button.tsx";
import { Menu, MenuLine, MenuItem } from "../../ui/menu.tsx";
import { Empty, ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useRestKinds } from "./connect-page.tsx";
import { KindsTab } from "./kinds-tab.tsx";
import { conditionOf, connectionLook } from "./looks.ts";
import { RequestsTab } from "./requests-tab.tsx";
import { ServiceTab } from "./service-tab.tsx";
import "./connect.css";

export interface TabProps {
  readonly connection: Connection;
  /** Those of the connection. */
  readonly restKinds: readonly RestKind[];
  readonly query: URLSearchParams;
}

const tabs: readonly {
  readonly id: string;
  readonly label: string;
  readonly part: ComponentType<TabProps>;
}[] = [
  { id: "kinds", label: "Kinds", part: KindsTab },
  { id: "requests", label: "Requests", part: RequestsTab },
  { id: "service", label: "Service", part: ServiceTab },
];

export function ConnectionPage(props: PageProps) {
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  const kind = kindNamed(connectionsKind);
  if (kind === undefined) return <Empty>This server has no Connect module.</Empty>;
  return <Known {...props} kind={kind} />;
}

function Known({ params, query, kind }: PageProps & { readonly kind: KindInfo }) {
  const { name = "", tab = "kinds" } = params;
  const { data, error, refetch } = useQuery(
    `connection ${name}`,
    async (signal) => await connectApi.connection(kind, name, signal),
    { live: (change) => change.kind === kind.id && change.name === name },
  );
  const restKinds = useRestKinds();
  const subject: Subject | undefined =
    data === undefined
      ? undefined
      : { kind, namespace: "", name, uid: data.metadata.uid, state: "Stored" };
  useSelected(subject);
  if (data === undefined || subject === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} />;
  }
  const own = (restKinds.data ?? []).filter(({ spec }) => spec.connection === name);
  const Shown = (tabs.find(({ id }) => id === tab) ?? tabs[0])?.part ?? KindsTab;
  return (
    <div class="stack">
      <Head subject={subject} connection={data} />
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      <AnswerBanner connection={data} />
      <Tabs
        label={`Connection ${name}`}
        current={tab}
        tabs={tabs.map(({ id, label }) => ({
          id,
          label,
          href: paths.connection(name, id),
          count: id === "kinds" ? own.length : undefined,
        }))}
      />
      {restKinds.error !== undefined && (
        <ErrorPanel error={restKinds.error} onRetry={restKinds.refetch} />
      )}
      {restKinds.data === undefined && restKinds.error === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <Shown connection={data} restKinds={own} query={query} />
      )}
    </div>
  );
}

function Head({ subject, connection }: { subject: Subject; connection: Connection }) {
  const { kind, name } = subject;
  const address = { kind: kind.id, namespace: "", name };
  return (
    <header>
      <div class="row">
        <h1>{name}</h1>
        <StateIcon look={connectionLook(connection)} isChip />
        <div class="row end">
          <Button href={paths.resource(address, "yaml")}>Edit YAML</Button>
          <Menu label="More actions" icon="more" class="page-menu">
            {actionsFor(subject)
              .filter(({ id }) => id === "delete")
              .map((action) => (
                <ActionItem key={action.id} action={action} subject={subject} />
              ))}
            <MenuLine />
            <MenuItem href={paths.resource(address)}>Open in the Explorer</MenuItem>
          </Menu>
        </div>
      </div>
      <p class="muted mono dense">{connection.spec.baseUrl}</p>
    </header>
  );
}

function AnswerBanner({ connection }: { connection: Connection }) {
  const ready = conditionOf(connection, "Ready");
  const released = conditionOf(connection, "Released");
  if (released?.status === "False") {
    return (
      <CauseBanner tone="deleting" title="The deletion waits for its resources">
        <p>{sentence(released.message ?? "")}</p>
      </CauseBanner>
    );
  }
  if (ready?.status !== "False") return null;
  return (
    <CauseBanner tone="failed" title={`The service does not answer: ${ready.reason ?? ""}`}>
      <p>{sentence(ready.message ?? "")}</p>
    </CauseBanner>
  );
}
