// What the resource belongs to, what it owns, and what it waits for.

import { kindNamed } from "../../api/kinds.ts";
import type { JsonRecord, Resource } from "../../api/types.ts";
import { paths } from "../../paths.ts";
import { Empty } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { OwnerTree } from "./owner-tree.tsx";
import type { TabProps } from "./tab-content.tsx";

interface Related {
  readonly key: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly href: string | undefined;
  readonly note: string;
}

export function RelatedTab({ viewed, document }: TabProps) {
  if (document === undefined) return null;
  return (
    <div class="stack">
      <OwnerTree viewed={viewed} document={document} />
      <Panel title="Waits for">
        <List
          related={waitsFor(document, viewed.namespace)}
          none="It waits for no other resource."
        />
      </Panel>
    </div>
  );
}

function List({ related, none }: { related: readonly Related[]; none: string }) {
  if (related.length === 0) return <Empty>{none}</Empty>;
  return (
    <table class="table">
      <tbody>
        {related.map(({ key, kind, name, namespace, href, note }) => (
          <tr key={key}>
            <td>
              <span class="muted">{kind}/</span>
              {href === undefined ? (
                <span class="mono">{name}</span>
              ) : (
                <a class="mono" href={href}>
                  {name}
                </a>
              )}
            </td>
            <td class="muted wide-only">{namespace}</td>
            <td class="muted right">{note}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
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
