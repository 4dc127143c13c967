// All kinds that the server serves, with their counts.

import { useSignal } from "@preact/signals";
import { insight } from "../../api/insight.ts";
import { kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import type { Counts, KindCount, ResourceState } from "../../api/types.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { currentNamespace } from "../../components/namespace-switch.tsx";
import { StateBar } from "../../components/state.tsx";
import { stateNamed } from "../../components/palette-words.ts";
import { countText, plural } from "../../format/number.ts";
import { useQuery } from "../../query/query.ts";
import { navigate, place } from "../../router/location.ts";
import type { PageProps } from "../../routes.tsx";
import { paths, withQuery } from "../../paths.ts";
import { lookOf } from "../../states/states.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";

function countOf(count: KindCount | undefined, state: ResourceState): number {
  const states: Readonly<Partial<Record<ResourceState, number>>> = count?.states ?? {};
  return states[state] ?? 0;
}

export function KindsPage({ query }: PageProps) {
  const namespace = currentNamespace();
  const text = query.get("q") ?? "";
  const state = stateNamed(query.get("state") ?? "");
  const counts = useQuery<Counts>(
    `counts all ${namespace}`,
    async (signal) => await insight.counts({ namespace, builtIn: true }, signal),
    { live: () => true },
  );
  const known = new Map((counts.data?.kinds ?? []).map((count) => [count.kind, count]));
  const found = (kinds.value ?? [])
    .filter(({ id, kind }) => `${id} ${kind}`.toLowerCase().includes(text.toLowerCase()))
    .filter(({ id }) => state === undefined || countOf(known.get(id), state) > 0);
  const own = found.filter((kind) => !isOfKubernetes(kind));
  const builtIn = found.filter(isOfKubernetes);
  const change = (changes: Readonly<Record<string, string | undefined>>): void =>
    navigate(withQuery(place.peek().href, changes), { replace: true });
  return (
    <>
      <header class="page-head">
        <h1>Explorer</h1>
        <p class="muted">Every kind that this server serves, also those that are added later.</p>
      </header>
      <div class="row">
        <FilterBar
          label="Filter kinds"
          placeholder="databases, shop.example …"
          value={text}
          onChange={(q) => change({ q })}
        />
        {state !== undefined && (
          <Button icon="close" onClick={() => change({ state: undefined })}>
            {lookOf(state).word} only
          </Button>
        )}
      </div>
      {counts.error !== undefined && (
        <ErrorPanel
          error={counts.error}
          onRetry={counts.refetch}
          title="The counts cannot be read"
        />
      )}
      {kinds.value === undefined && <Skeleton lines={8} />}
      {kinds.value !== undefined && found.length === 0 && (
        <Empty
          action={
            <Button onClick={() => change({ q: undefined, state: undefined })}>Clear filter</Button>
          }
        >
          No kind matches.
        </Empty>
      )}
      {(counts.data ?? counts.error) !== undefined &&
        [
          { title: "Kinds of modules", list: own },
          { title: "Built-in kinds", list: builtIn },
        ].map((each) => (
          <KindTable
            key={each.title}
            {...each}
            known={known}
            state={query.get("state")}
            isWhole={text !== ""}
          />
        ))}
    </>
  );
}

function isOfKubernetes({ group }: KindInfo): boolean {
  return group === "" || group.endsWith(".k8s.io") || ["apps", "batch", "policy"].includes(group);
}

interface KindTableProps {
  readonly title: string;
  readonly list: readonly KindInfo[];
  readonly known: ReadonlyMap<string, KindCount>;
  readonly state: string | null;
  /** Also the kinds without resources: a filter looks for them. */
  readonly isWhole: boolean;
}

function KindTable({ title, list, known, state, isWhole }: KindTableProps) {
  const isOpen = useSignal(false);
  if (list.length === 0) return null;
  const filter = state === null ? {} : { q: `state:${state}` };
  const sorted = [...list].sort(
    (one, other) =>
      (known.get(other.id)?.total ?? 0) - (known.get(one.id)?.total ?? 0) ||
      one.id.localeCompare(other.id),
  );
  const used = sorted.filter(({ id }) => (known.get(id)?.total ?? 0) > 0);
  const unused = sorted.length - used.length;
  const hasFold = !isWhole && unused > 0 && used.length > 0;
  const shown = hasFold && !isOpen.value ? used : sorted;
  return (
    <Panel title={title} note={plural(list.length, "kind")}>
      <table class="table kinds">
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col" class="wide-only">
              Group
            </th>
            <th scope="col" class="right">
              Total
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ id, kind, group }) => {
            const count = known.get(id);
            return (
              <tr key={id}>
                <td>
                  <a href={paths.kind(id, filter)}>{kind}</a>
                </td>
                <td class="muted mono wide-only">{group === "" ? "core" : group}</td>
                <td class="right">{countText(count?.total ?? 0)}</td>
                <td>
                  {count !== undefined && count.total > 0 && (
                    <StateBar states={count.states} isSmall />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {hasFold && (
        <p class="panel-foot">
          <Button
            look="link"
            expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {isOpen.value ? "Hide" : "Show"} {plural(unused, "kind")} without resources
          </Button>
        </p>
      )}
    </Panel>
  );
}
