// From the resource that owns all others, over this one, to everything that this one owns.

import { ownedOf } from "../../actions/children.ts";
import type { OwnedNode } from "../../actions/children.ts";
import { isStatus } from "../../api/client.ts";
import { kindOf } from "../../api/kinds.ts";
import { kube } from "../../api/kube.ts";
import type { OwnerReference, Resource } from "../../api/types.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { conditionTone } from "../../states/states.ts";
import { Icon } from "../../ui/icon.tsx";
import { ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import type { Viewed } from "./resource-page.tsx";

/** One line of the tree: an owner that cannot be read has its reference only. */
interface Line {
  readonly reference: Pick<OwnerReference, "apiVersion" | "kind" | "name">;
  readonly namespace: string;
  readonly document: Resource | undefined;
  readonly isCurrent: boolean;
  readonly below: readonly Line[];
}

const mostLevels = 8;

interface Props {
  readonly viewed: Viewed;
  readonly document: Resource;
}

export function OwnerTree({ viewed, document }: Props) {
  const { kind, namespace, name } = viewed;
  const { uid = "", ownerReferences = [] } = document.metadata;
  const { data, error, refetch } = useQuery(
    `owner tree ${uid} ${ownerReferences.map((each) => each.uid).join(" ")}`,
    async (signal) => ({
      owners: await ownersOf(document, namespace, signal),
      owned: await ownedOf({ kind, namespace, name, uid }, signal),
    }),
    { live: (change) => change.namespace === namespace && change.type !== "updated" },
  );
  const isAlone = data !== undefined && data.owners.length + data.owned.length === 0;
  return (
    <Panel title="Owner tree" note={isAlone ? "it has no owner and owns nothing" : undefined}>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && (
        <ul class="owner-tree" aria-label="Owner tree">
          <Branch line={treeOf(document, namespace, data.owners, data.owned)} />
        </ul>
      )}
    </Panel>
  );
}

type Owner = Omit<Line, "isCurrent" | "below">;

/** The nearest one first. Of several owners, the controller. */
async function ownersOf(
  resource: Resource,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly Owner[]> {
  const owners: Owner[] = [];
  let document: Resource | undefined = resource;
  while (document !== undefined && owners.length < mostLevels) {
    const references: readonly OwnerReference[] = document.metadata.ownerReferences ?? [];
    const reference = references.find(({ controller }) => controller === true) ?? references[0];
    if (reference === undefined) break;
    const kind = kindOf(reference.apiVersion, reference.kind);
    const place = kind?.isNamespaced === true ? namespace : "";
    document = await ownerAt(reference, place, signal);
    owners.push({ reference, namespace: place, document });
  }
  return owners;
}

/** Undefined: it does not exist any more, or the user may not read it. */
async function ownerAt(
  { apiVersion, kind: word, name, uid }: OwnerReference,
  namespace: string,
  signal: AbortSignal,
): Promise<Resource | undefined> {
  const kind = kindOf(apiVersion, word);
  if (kind === undefined) return undefined;
  try {
    const found = await kube.get(kind, { namespace, name }, signal);
    return found.metadata.uid === uid ? found : undefined;
  } catch (error) {
    if (isStatus(error, 403) || isStatus(error, 404)) return undefined;
    throw error;
  }
}

function treeOf(
  document: Resource,
  namespace: string,
  owners: readonly Owner[],
  owned: readonly OwnedNode[],
): Line {
  const own: Line = {
    reference: { ...document, name: document.metadata.name },
    namespace,
    document,
    isCurrent: true,
    below: owned.map(lineOf),
  };
  return owners.reduce<Line>(
    (below, owner) => ({ ...owner, isCurrent: false, below: [below] }),
    own,
  );
}

function lineOf({ resource, owned }: OwnedNode): Line {
  const { apiVersion, kind, metadata } = resource;
  return {
    reference: { apiVersion, kind, name: metadata.name },
    namespace: metadata.namespace ?? "",
    document: resource,
    isCurrent: false,
    below: owned.map(lineOf),
  };
}

function Branch({ line }: { line: Line }) {
  const { reference, namespace, document, isCurrent, below } = line;
  const { apiVersion, kind, name } = reference;
  const known = kindOf(apiVersion, kind);
  const title = (
    <>
      <span class="muted">{kind}/</span>
      <span class="mono">{name}</span>
    </>
  );
  return (
    <li>
      <div class={`owner-line ${isCurrent ? "owner-current" : ""}`}>
        <Ready document={document} />
        {isCurrent || known === undefined || document === undefined ? (
          <span aria-current={isCurrent ? "true" : undefined}>{title}</span>
        ) : (
          <a href={paths.resource({ kind: known.id, namespace, name })}>{title}</a>
        )}
        <span class="muted end nowrap wide-only">
          {isCurrent && "this resource"}
          {!isCurrent && document !== undefined && (
            <Time at={document.metadata.creationTimestamp} />
          )}
        </span>
        {document === undefined && <span class="sub">is deleted, or you may not read it</span>}
      </div>
      {below.length > 0 && (
        <ul>
          {below.map((each) => (
            <Branch key={`${each.reference.kind} ${each.reference.name}`} line={each} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Ready({ document }: { document: Resource | undefined }) {
  const conditions = document?.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const isFailing = conditions.some(({ type, status }) => type === "Synced" && status === "False");
  if (ready === undefined) {
    return (
      <span class="muted">
        <Icon name="stored" />
      </span>
    );
  }
  const tone = isFailing ? "failed" : conditionTone("Ready", ready.status, ready.reason ?? "");
  return (
    <span class={`t-${tone}`} title={`Ready: ${ready.status}`}>
      <Icon name={tone} />
      <span class="visually-hidden">Ready: {ready.status}</span>
    </span>
  );
}
