// What the resource belongs to, what it owns, and what it waits for.

import { childrenOf } from "../../actions/children.ts";
import { kindNamed, kindOf } from "../../api/kinds.ts";
import type { JsonRecord, Resource } from "../../api/types.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { conditionTone } from "../../states/states.ts";
import { Icon } from "../../ui/icon.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import type { TabProps } from "./tab-content.tsx";

interface Related {
  readonly key: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly href: string | undefined;
  readonly note?: string;
  readonly document?: Resource;
}

export function RelatedTab({ viewed, document }: TabProps) {
  const { kind, namespace, name } = viewed;
  const uid = document?.metadata.uid ?? "";
  const children = useQuery(
    `children ${uid}`,
    async (signal) => await childrenOf({ kind, namespace, name, uid }, signal),
    { live: (change) => change.namespace === namespace && change.type !== "updated" },
  );
  if (document === undefined) return null;
  return (
    <div class="stack">
      <Panel title="Owned by">
        <List
          related={ownersOf(document, namespace)}
          none="No owner: a user or a client created it."
        />
      </Panel>
      <Panel title="Owns">
        {children.error !== undefined && (
          <ErrorPanel error={children.error} onRetry={children.refetch} />
        )}
        {children.data === undefined && children.error === undefined && <Skeleton />}
        {children.data !== undefined && (
          <List related={children.data.map(childOf)} none="It owns nothing." />
        )}
      </Panel>
      <Panel title="Waits for">
        <List related={waitsFor(document, namespace)} none="It waits for no other resource." />
      </Panel>
    </div>
  );
}

function List({ related, none }: { related: readonly Related[]; none: string }) {
  if (related.length === 0) return <Empty>{none}</Empty>;
  return (
    <table class="table">
      <tbody>
        {related.map(({ key, kind, name, namespace, href, note, document }) => (
          <tr key={key}>
            <td>
              <span class="row">
                {document !== undefined && <Ready document={document} />}
                <span>
                  <span class="muted">{kind}/</span>
                  {href === undefined ? (
                    <span class="mono">{name}</span>
                  ) : (
                    <a class="mono" href={href}>
                      {name}
                    </a>
                  )}
                </span>
              </span>
            </td>
            <td class="muted wide-only">{namespace}</td>
            <td class="muted right">
              {note ?? <Time at={document?.metadata.creationTimestamp} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Ready({ document }: { document: Resource }) {
  const ready = document.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined) {
    return (
      <span class="muted">
        <Icon name="stored" />
      </span>
    );
  }
  const tone = conditionTone("Ready", ready.status, ready.reason ?? "");
  return (
    <span class={`t-${tone}`} title={`Ready: ${ready.status}`}>
      <Icon name={tone} />
      <span class="visually-hidden">Ready: {ready.status}</span>
    </span>
  );
}

function ownersOf({ metadata }: Resource, namespace: string): readonly Related[] {
  return (metadata.ownerReferences ?? []).map(({ apiVersion, kind, name, uid, controller }) => {
    const found = kindOf(apiVersion, kind);
    const place = found?.isNamespaced === true ? namespace : "";
    return {
      key: uid,
      kind,
      name,
      namespace: place,
      href:
        found === undefined
          ? undefined
          : paths.resource({ kind: found.id, namespace: place, name }),
      note: controller === true ? "controller" : "owner",
    };
  });
}

function childOf(document: Resource): Related {
  const { apiVersion, kind, metadata } = document;
  const { namespace = "", name, uid = "" } = metadata;
  const found = kindOf(apiVersion, kind);
  const href =
    found === undefined ? undefined : paths.resource({ kind: found.id, namespace, name });
  return { key: uid, kind, namespace, name, href, document };
}

function waitsFor({ status }: Resource, home: string): readonly Related[] {
  const reconcile = status?.["reconcile"] as JsonRecord | undefined;
  const waiting = reconcile?.["waitingFor"];
  if (!Array.isArray(waiting)) return [];
  return (waiting as readonly JsonRecord[]).map((each) => {
    const id = textOf(each["kind"]);
    const name = textOf(each["name"]);
    const found = kindNamed(id);
    const own = typeof each["namespace"] === "string" ? each["namespace"] : home;
    const namespace = found?.isNamespaced === false ? "" : own;
    const condition = each["condition"];
    return {
      key: `${id} ${namespace} ${name}`,
      kind: found?.kind ?? id,
      name,
      namespace,
      href: found === undefined ? undefined : paths.resource({ kind: id, namespace, name }),
      note: typeof condition === "string" ? `to be ${condition}` : "to exist",
    };
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
