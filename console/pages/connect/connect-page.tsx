// All connections: does the service answer, and what is kept in it.

import { connectApi, connectionsKind, restKindsKind } from "../../api/connect.ts";
import type { Connection, RestKind } from "../../api/connect.ts";
import { insight } from "../../api/insight.ts";
import { kindNamed, kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { mayOn } from "../../api/rights.ts";
import type { Counts } from "../../api/types.ts";
import { CommandLine } from "../../components/command-line.tsx";
import { StateBar, StateIcon } from "../../components/state.tsx";
import { plural } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import type { PageProps } from "../../routes.tsx";
import { sumStates } from "../../states/states.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { conditionOf, connectionLook, headlineOf, sorted } from "./looks.ts";
import "../../ui/panel.css";
import "./connect.css";

export function ConnectPage(_props: PageProps) {
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  const kind = kindNamed(connectionsKind);
  if (kind === undefined) return <Empty>This server has no Connect module.</Empty>;
  return <Connections kind={kind} />;
}

export function useRestKinds() {
  const kind = kindNamed(restKindsKind);
  return useQuery<readonly RestKind[]>(
    kind === undefined ? undefined : "restkinds",
    async (signal) => (kind === undefined ? [] : await connectApi.restKinds(kind, signal)),
    { live: (change) => change.kind === restKindsKind },
  );
}

function Connections({ kind }: { kind: KindInfo }) {
  const { data, error, refetch } = useQuery(
    "connections",
    async (signal) => await connectApi.connections(kind, signal),
    { live: (change) => change.kind === kind.id },
  );
  const restKinds = useRestKinds();
  const counts = useQuery<Counts>("counts", async (signal) => await insight.counts({}, signal), {
    live: () => true,
  });
  const mayCreate = mayOn(kind, { namespace: "", verb: "create" });
  return (
    <div class="stack">
      <header class="row">
        <h1>{data === undefined ? "Connections" : headlineOf(data)}</h1>
        <div class="row end">
          <Button
            icon="plus"
            look="main"
            href={paths.create(kind.id)}
            off={mayCreate === false ? "You may not create connections." : undefined}
          >
            New connection
          </Button>
        </div>
      </header>
      {error !== undefined && (
        <ErrorPanel error={error} onRetry={refetch} title="The connections cannot be read" />
      )}
      {data === undefined && error === undefined && <Skeleton lines={6} />}
      {data?.length === 0 && <First />}
      {data !== undefined && data.length > 0 && (
        <section class="panel" aria-label="Connections">
          <table class="table connections">
            <thead>
              <tr>
                <th scope="col">Connection</th>
                <th scope="col">State</th>
                <th scope="col" class="wide-only">
                  Service
                </th>
                <th scope="col">Kept in it</th>
              </tr>
            </thead>
            <tbody>
              {sorted(data).map((connection) => (
                <Line
                  key={connection.metadata.name}
                  connection={connection}
                  restKinds={restKinds.data ?? []}
                  counts={counts.data}
                />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}

interface LineProps {
  readonly connection: Connection;
  readonly restKinds: readonly RestKind[];
  readonly counts: Counts | undefined;
}

function Line({ connection, restKinds, counts }: LineProps) {
  const { metadata, spec } = connection;
  const own = restKinds.filter((each) => each.spec.connection === metadata.name);
  const ids = new Set(own.map((each) => each.metadata.name));
  const found = (counts?.kinds ?? []).filter(({ kind }) => ids.has(kind));
  const total = found.reduce((sum, each) => sum + each.total, 0);
  const ready = conditionOf(connection, "Ready");
  return (
    <tr>
      <td>
        <a class="strong" href={paths.connection(metadata.name)}>
          {metadata.name}
        </a>
        <span class="sub">{authText(spec.auth?.kind)}</span>
      </td>
      <td>
        <StateIcon look={connectionLook(connection)} />
        {ready?.status === "False" && <span class="sub">{ready.reason}</span>}
      </td>
      <td class="mono dense wide-only">{spec.baseUrl}</td>
      <td>
        {plural(total, "resource")}{" "}
        <span class="muted">of {own.length === 0 ? "no kind" : plural(own.length, "kind")}</span>
        {total > 0 && <StateBar states={sumStates(found)} isSmall />}
      </td>
    </tr>
  );
}

function authText(kind = "none"): string {
  return kind === "none" ? "no credentials" : kind;
}

function First() {
  return (
    <section class="panel">
      <Empty>
        No connections. A connection says where a REST service is; an import of its OpenAPI document
        proposes kinds whose resources are kept there.
        <CommandLine text="setpoint connect import https://dns.example/openapi.json --base-url https://dns.example --apply" />
      </Empty>
    </section>
  );
}
