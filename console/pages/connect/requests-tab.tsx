// The next request of each resource: what would be sent to the service, which fields, and why.

import { connectApi } from "../../api/connect.ts";
import type { PlannedChange, RequestPlan } from "../../api/connect.ts";
import { kindNamed } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import type { FieldChange, Row } from "../../api/types.ts";
import { DiffView } from "../../components/diff-view.tsx";
import { RowsPanel, listTitle } from "../../components/rows-panel.tsx";
import { StateIcon, StateOf } from "../../components/state.tsx";
import { useRows } from "../../components/use-rows.ts";
import { paths, withQuery } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { place } from "../../router/location.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import type { TabProps } from "./connection-page.tsx";
import { KindList } from "./kind-list.tsx";
import { planLook } from "./looks.ts";

export function RequestsTab({ restKinds, query }: TabProps) {
  const wanted = query.get("kind");
  const chosen = restKinds.find(({ metadata }) => metadata.name === wanted) ?? restKinds[0];
  const kind = kindNamed(chosen?.metadata.name ?? "");
  if (chosen === undefined || kind === undefined) {
    return (
      <section class="panel">
        <Empty>No kind is kept in the service, so nothing is requested.</Empty>
      </section>
    );
  }
  return (
    <div class="connect-columns">
      <KindList restKinds={restKinds} current={chosen.metadata.name} />
      <Requests key={kind.id} kind={kind} wanted={query.get("of") ?? ""} />
    </div>
  );
}

function Requests({ kind, wanted }: { kind: KindInfo; wanted: string }) {
  // What needs a request comes first.
  const rows = useRows({ kind: kind.id, sort: "state,name" });
  const shown = rows.held?.rows ?? [];
  const chosen = shown.find((row) => idOf(row) === wanted) ?? shown[0];
  return (
    <div class="request-columns">
      <RowsPanel
        label={`Resources of ${kind.kind}`}
        rows={rows}
        errorTitle={listTitle(kind, rows.error, "")}
        empty={<Empty>No {kind.kind} exists.</Empty>}
        table={(held) => (
          <ul class="request-rows">
            {held.rows.map((row) => (
              <li key={row.uid}>
                <a
                  href={withQuery(place.value.href, { of: idOf(row) })}
                  aria-current={row.uid === chosen?.uid ? "true" : undefined}
                >
                  <span class="mono clip">{row.name}</span>
                  <StateOf state={row.state} />
                  {row.namespace !== undefined && <span class="sub">{row.namespace}</span>}
                </a>
              </li>
            ))}
          </ul>
        )}
      />
      {chosen !== undefined && <Planned key={chosen.uid} kind={kind} row={chosen} />}
    </div>
  );
}

function idOf({ namespace = "", name }: Row): string {
  return `${namespace}/${name}`;
}

/** A plan reads the service, so it is read again only when the resource changes. */
function Planned({ kind, row }: { kind: KindInfo; row: Row }) {
  const { namespace = "", name } = row;
  const { data, error, refetch } = useQuery(
    `plan ${kind.id} ${namespace} ${name}`,
    async (signal) => await connectApi.plan(kind, { namespace, name }, signal),
    {
      live: (change) =>
        change.kind === kind.id && change.name === name && (change.namespace ?? "") === namespace,
    },
  );
  return (
    <Panel
      title={`Next request of ${name}`}
      side={
        <span class="row">
          <Button look="link" onClick={refetch}>
            Plan again
          </Button>
          <a class="link" href={paths.resource({ kind: kind.id, namespace, name })}>
            Open
          </a>
        </span>
      }
    >
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {data === undefined && error === undefined && <Skeleton lines={6} />}
      {data !== undefined && <PlanView plan={data} />}
    </Panel>
  );
}

function PlanView({ plan }: { plan: RequestPlan }) {
  const { action, message, request, changes = [], drift = [], afterwards } = plan;
  return (
    <div class="plan">
      <div class="panel-body">
        <StateIcon look={planLook(action)} isChip />
        <p class="plan-message">{sentence(message)}</p>
      </div>
      {request !== undefined && (
        <section aria-label="Request">
          <pre class="request" tabIndex={0} aria-label="Request">
            <code>
              <b>{request.method}</b> {request.path}
              {request.body !== undefined && `\n\n${JSON.stringify(request.body, undefined, 2)}`}
            </code>
          </pre>
        </section>
      )}
      {changes.length > 0 && <DiffView changes={changes.map(fieldChange)} />}
      {drift.length > 0 && (
        <>
          <h3 class="panel-body">Differs and is not corrected</h3>
          <DiffView changes={drift.map(fieldChange)} />
        </>
      )}
      {afterwards !== undefined && (
        <>
          <h3 class="panel-body">Afterwards</h3>
          <PlanView plan={afterwards} />
        </>
      )}
    </div>
  );
}

function fieldChange({ path, why, before, after }: PlannedChange): FieldChange {
  const kind = before === undefined ? "add" : after === undefined ? "remove" : "replace";
  return {
    kind,
    path,
    ...(before === undefined ? {} : { old: before }),
    ...(after === undefined ? {} : { new: after }),
    ...(why === undefined || why === "" ? {} : { why }),
  };
}
