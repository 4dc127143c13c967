// What holds a resource, as a tree: below each resource what it waits for, and what it owns that is
// not ready. The leaves are the causes. Arrow keys move, as in every tree.

import type { TargetedKeyboardEvent } from "preact";
import { useRef } from "preact/hooks";
import { kindOf } from "../api/kinds.ts";
import type { Explained } from "../api/types.ts";
import { countText } from "../format/number.ts";
import { paths } from "../paths.ts";
import { Icon } from "../ui/icon.tsx";
import { sentence } from "../ui/notice.tsx";
import { whyLook } from "../states/states.ts";
import { isCause } from "./why-text.ts";
import "./why-tree.css";

const relations: Readonly<Record<string, string>> = {
  WaitsFor: "waits for",
  Owns: "owns, not ready",
  Outlives: "is deleted first",
};

export function WhyTree({ root, label }: { root: Explained; label: string }) {
  const tree = useRef<HTMLUListElement>(null);
  return (
    <ul
      ref={tree}
      class="why-tree"
      role="tree"
      aria-label={label}
      onKeyDown={(event) => moveInTree(event, tree.current)}
    >
      <Node resource={root} isRoot />
    </ul>
  );
}

function Node({ resource, isRoot = false }: { resource: Explained; isRoot?: boolean }) {
  const { kind, namespace = "", name, relation = "", state, message, blockers = [] } = resource;
  const look = whyLook(state);
  const known = kindOf(resource.apiVersion, kind);
  const title = (
    <>
      <span class="muted">{kind}/</span>
      <b class="mono">{name}</b>
    </>
  );
  const isLeaf = isCause(resource) && !isRoot;
  const href =
    isRoot || known === undefined || state === "Missing"
      ? undefined
      : paths.resource({ kind: known.id, namespace, name });
  const more = resource.moreBlockers ?? 0;
  return (
    <li
      role="treeitem"
      aria-expanded={blockers.length > 0 ? true : undefined}
      aria-selected={false}
      tabIndex={isRoot ? 0 : -1}
    >
      <div class={`why-node ${isLeaf ? `why-cause t-${look.tone}` : ""}`}>
        <span class={`t-${look.tone}`} title={look.word}>
          <Icon name={look.tone} />
          <span class="visually-hidden">{look.word}</span>
        </span>
        {href === undefined ? (
          <span>{title}</span>
        ) : (
          <a href={href} tabIndex={-1}>
            {title}
          </a>
        )}
        <span class="why-relation">
          {isRoot ? "this resource" : (relations[relation] ?? relation)}
        </span>
        <div class="why-text">
          <p>{sentence(message)}</p>
          {(resource.details ?? []).map((detail) => (
            <p key={detail}>{sentence(detail)}</p>
          ))}
        </div>
      </div>
      {(blockers.length > 0 || more > 0) && (
        <ul role="group">
          {blockers.map((blocker) => (
            <Node key={`${blocker.kind} ${blocker.namespace} ${blocker.name}`} resource={blocker} />
          ))}
          {more > 0 && (
            <li role="treeitem" aria-selected={false} tabIndex={-1}>
              <div class="why-node muted">and {countText(more)} more, not shown</div>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function moveInTree(
  event: TargetedKeyboardEvent<HTMLUListElement>,
  tree: HTMLUListElement | null,
): void {
  const items = [...(tree?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
  const at = items.findIndex((item) => item === document.activeElement);
  const item = items[at];
  if (item === undefined) return;
  const parent = item.parentElement?.closest<HTMLElement>('[role="treeitem"]');
  const targets: Readonly<Record<string, HTMLElement | null | undefined>> = {
    ArrowDown: items[at + 1],
    ArrowUp: items[at - 1],
    ArrowRight: item.querySelector<HTMLElement>('[role="treeitem"]'),
    ArrowLeft: parent,
    Home: items[0],
    End: items.at(-1),
  };
  if (event.key === "Enter") {
    item.querySelector<HTMLAnchorElement>(":scope > .why-node a")?.click();
  } else if (event.key in targets) {
    const target = targets[event.key];
    if (target === undefined || target === null) return;
    for (const each of items) each.tabIndex = each === target ? 0 : -1;
    target.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
