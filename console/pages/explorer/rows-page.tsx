// The list of one kind: the server sorts, filters and pages; values change in place.

import { useSignal } from "@preact/signals";
import { findKind, kindNamed, kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { insight } from "../../api/insight.ts";
import { mayOn } from "../../api/rights.ts";
import type { Row } from "../../api/types.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { currentNamespace } from "../../components/namespace-switch.tsx";
import { StateLegend } from "../../components/state.tsx";
import { useSelected } from "../../components/selected.ts";
import { countText } from "../../format/number.ts";
import { useQuery } from "../../query/query.ts";
import { navigate, place } from "../../router/location.ts";
import type { PageProps } from "../../routes.tsx";
import { paths, withQuery } from "../../paths.ts";
import { LiveTable } from "../../table/live-table.tsx";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Empty, Skeleton } from "../../ui/notice.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { ColumnMenu } from "./column-menu.tsx";
import { parseFilter, stateOf, withState } from "../../components/filter-words.ts";
import { listCommand } from "./list-command.ts";
import { columnsOf } from "./row-columns.tsx";
import { RowMenu } from "./row-menu.tsx";
import { filterError, listTitle, RowsPanel } from "../../components/rows-panel.tsx";
import { useRows } from "../../components/use-rows.ts";
import type { Rows } from "../../components/use-rows.ts";
import type { HeldRows } from "../../components/held-rows.ts";
import "./explorer.css";

export function RowsPage({ params, query }: PageProps) {
  const id = params["kind"] ?? "";
  useSelected(undefined);
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  const kind = kindNamed(id) ?? findKind(id);
  if (kind === undefined) return <UnknownKind id={id} />;
  return <KindRows key={kind.id} kind={kind} query={query} />;
}

function UnknownKind({ id }: { id: string }) {
  return (
    <Empty action={<Button href={paths.explorer()}>Show all kinds</Button>}>
      This server serves no kind {id}.
    </Empty>
  );
}

function change(changes: Readonly<Record<string, string | undefined>>, replace = false): void {
  navigate(withQuery(place.peek().href, changes), { replace });
}

function KindRows({ kind, query }: { kind: KindInfo; query: URLSearchParams }) {
  const text = query.get("q") ?? "";
  const parsed = parseFilter(text);
  const switched = kind.isNamespaced ? currentNamespace() : "";
  const namespace = parsed.query.namespace ?? switched;
  const sort = query.get("sort") ?? "namespace,name";
  const rows = useRows({ kind: kind.id, ...parsed.query, namespace, sort });
  const counts = useQuery(
    `counts ${kind.id} ${namespace}`,
    async (signal) => await insight.counts({ kind: kind.id, namespace }, signal),
    { live: (each) => each.kind === kind.id },
  );
  const count = counts.data?.kinds[0];
  const error = parsed.error ?? filterError(rows.error);
  const list = { kind, namespace, text, sort, rows, cols: query.get("cols") };
  return (
    <div class="stack">
      <header class="page-head row">
        <h1>
          {kind.kind}{" "}
          <span class="muted h1-count">{count === undefined ? "" : countText(count.total)}</span>
        </h1>
        <ListButtons list={list} labels={parsed.query.labels} />
      </header>
      <div class="row filters">
        <FilterBar
          label={`Filter ${kind.plural}`}
          placeholder="name, state:failed, label:tier=gold, columns.x>=3"
          value={text}
          error={error}
          suggestions={["state:failed", "state:waiting", "state:ready", "label:", "reason:"]}
          onChange={(q) => change({ q }, true)}
        />
        {count !== undefined && (
          <StateLegend
            states={count.states}
            current={stateOf(text)}
            hrefOf={(state) =>
              withQuery(place.value.href, {
                q: withState(text, stateOf(text) === state ? undefined : state),
              })
            }
          />
        )}
      </div>
      <ListPanel list={list} total={count?.total} hasFilterError={error !== undefined} />
    </div>
  );
}

interface List {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly text: string;
  readonly sort: string;
  readonly rows: Rows;
  /** The printer columns in the URL. */
  readonly cols: string | null;
}

function ListButtons({ list, labels }: { list: List; labels: string | undefined }) {
  const { kind, namespace, rows, cols } = list;
  return (
    <div class="row end">
      <Button
        icon="plus"
        look="main"
        href={paths.create(kind.id, { ns: namespace })}
        off={createOff(kind, namespace)}
      >
        New
      </Button>
      <ColumnMenu
        columns={rows.columns}
        shown={cols}
        onChange={(next) => change({ cols: next }, true)}
      />
      <Copy
        text={() => listCommand(kind, namespace, labels)}
        label="Copy as kubectl"
        word="Copy as kubectl"
      />
    </div>
  );
}

interface ListPanelProps {
  readonly list: List;
  readonly total: number | undefined;
  readonly hasFilterError: boolean;
}

function ListPanel({ list, total, hasFilterError }: ListPanelProps) {
  const { kind, namespace, text, rows } = list;
  const filter = [text, namespace === "" ? "" : `ns:${namespace}`].filter(Boolean).join(" ");
  return (
    <RowsPanel
      label={kind.plural}
      rows={rows}
      errorTitle={hasFilterError ? undefined : listTitle(kind, rows.error, namespace)}
      empty={
        <Empty action={filter === "" ? undefined : <ClearFilter />}>
          {filter === "" ? `No ${kind.kind} yet.` : `No ${kind.kind} matches ${filter}.`}
        </Empty>
      }
      table={(held) => (
        <RowTable list={list} held={held} total={filter === "" ? total : undefined} />
      )}
    />
  );
}

interface RowTableProps {
  readonly list: List;
  readonly held: HeldRows;
  readonly total: number | undefined;
}

function RowTable({ list: { kind, namespace, rows, sort, cols }, held, total }: RowTableProps) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const choose = (next: ReadonlySet<string>): void => {
    chosen.value = next;
  };
  const selectedRows = held.rows.filter(({ uid }) => chosen.value.has(uid));
  const isAll = selectedRows.length === held.rows.length;
  return (
    <>
      <LiveTable<Row>
        label={kind.plural}
        rows={held.rows}
        columns={columnsOf(kind, rows.columns, {
          hasNamespace: kind.isNamespaced && namespace === "",
          shown: cols?.split(","),
        })}
        keyOf={({ uid }) => uid}
        nameOf={({ name }) => name}
        hrefOf={(row) =>
          paths.resource({ kind: kind.id, namespace: row.namespace ?? "", name: row.name })
        }
        isMuted={({ uid }) => held.muted.has(uid)}
        sort={sort.split(",")[0]}
        onSort={(next) => change({ sort: next })}
        total={total}
        onEnd={rows.next === undefined ? undefined : rows.loadMore}
        menuOf={(row) => <RowMenu kind={kind} row={row} />}
        selection={{
          keys: chosen.value,
          isAll,
          toggle: (uid) => choose(toggled(chosen.value, uid)),
          toggleAll: () => choose(isAll ? new Set() : new Set(held.rows.map(({ uid }) => uid))),
        }}
      />
      <BulkBar kind={kind} rows={selectedRows} onClear={() => choose(new Set())} />
    </>
  );
}

function ClearFilter() {
  return <Button onClick={() => change({ q: undefined, ns: undefined })}>Clear filter</Button>;
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

function createOff(kind: KindInfo, namespace: string): string | undefined {
  if (!kind.verbs.has("create")) return `${kind.kind} cannot be created.`;
  const isAllowed = mayOn(kind, { namespace, verb: "create" });
  const where = namespace === "" ? "" : ` in ${namespace}`;
  return isAllowed === false ? `You may not create ${kind.plural}${where}.` : undefined;
}
