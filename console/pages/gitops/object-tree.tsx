// An ARIA tree: a group for each kind, and its objects. Arrow keys move, open and close.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { TargetedKeyboardEvent } from "preact";
import { StateIcon } from "../../components/state.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { TreeGroup, TreeObject } from "./tree.ts";
import { isOpenAtFirst } from "./tree.ts";

interface TreeProps {
  readonly label: string;
  readonly groups: readonly TreeGroup[];
  readonly current: string | undefined;
  readonly onSelect: (key: string | undefined) => void;
}

export function ObjectTree({ label, groups, current, onSelect }: TreeProps) {
  const tree = useRef<HTMLUListElement>(null);
  /** What the user has opened and closed. */
  const toggled = useSignal<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (group: TreeGroup): boolean =>
    toggled.value.get(group.key) ?? isOpenAtFirst(group);
  const toggle = (group: TreeGroup): void => {
    toggled.value = new Map(toggled.value).set(group.key, !isOpen(group));
  };
  const first = groups[0];
  const single = (group: TreeGroup): TreeObject | undefined =>
    group.objects.length === 1 ? group.objects[0] : undefined;
  return (
    <ul
      ref={tree}
      class="object-tree"
      role="tree"
      aria-label={label}
      onKeyDown={(event) => onKey(event, tree.current)}
    >
      {groups.map((group) => {
        const only = single(group);
        const isFirst = group === first;
        return only === undefined ? (
          <Group
            key={group.key}
            group={group}
            isOpen={isOpen(group)}
            isFirst={isFirst}
            current={current}
            onToggle={() => toggle(group)}
            onSelect={onSelect}
          />
        ) : (
          <Leaf
            key={group.key}
            leaf={only}
            isFirst={isFirst}
            isCurrent={only.key === current}
            onSelect={onSelect}
          />
        );
      })}
    </ul>
  );
}

interface GroupProps {
  readonly group: TreeGroup;
  readonly isOpen: boolean;
  readonly isFirst: boolean;
  readonly current: string | undefined;
  readonly onToggle: () => void;
  readonly onSelect: (key: string | undefined) => void;
}

function Group({ group, isOpen, isFirst, current, onToggle, onSelect }: GroupProps) {
  const { kind, look, text, objects } = group;
  return (
    <li
      role="treeitem"
      aria-expanded={isOpen}
      aria-selected={false}
      tabIndex={isFirst ? 0 : -1}
      data-toggle
    >
      <div class="tree-row tree-group" onClick={onToggle}>
        <Icon name="down" class={isOpen ? "" : "tree-closed"} />
        <StateIcon look={look} isBare />
        <b class="tree-kind">{kind}</b>
        <span class="muted small end">{text}</span>
      </div>
      {isOpen && (
        <ul role="group">
          {objects.map((leaf) => (
            <Leaf
              key={leaf.key}
              leaf={leaf}
              isFirst={false}
              isCurrent={leaf.key === current}
              isInGroup
              onSelect={onSelect}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

interface LeafProps {
  readonly leaf: TreeObject;
  readonly isFirst: boolean;
  readonly isCurrent: boolean;
  readonly isInGroup?: boolean;
  readonly onSelect: (key: string | undefined) => void;
}

function Leaf({ leaf, isFirst, isCurrent, isInGroup = false, onSelect }: LeafProps) {
  const { key, object, look } = leaf;
  const { kind, name, namespace, health, message, hook } = object;
  const why = health?.message ?? message;
  return (
    <li role="treeitem" aria-selected={isCurrent} tabIndex={isFirst ? 0 : -1}>
      <div
        class={`tree-row ${isCurrent ? "tree-current" : ""}`}
        onClick={() => onSelect(isCurrent ? undefined : key)}
      >
        <StateIcon look={look} isBare />
        <span class="tree-name">
          {!isInGroup && <span class="muted">{kind}/</span>}
          <span class="mono">{name}</span>
          {hook === true && <span class="muted small"> hook</span>}
          {look.tone !== "ready" && why !== undefined && why !== "" && (
            <span class="sub muted">{why}</span>
          )}
        </span>
        <span class="muted small end wide-only">{namespace}</span>
        <span class={`small t-${look.tone} tree-word`}>{look.word}</span>
      </div>
    </li>
  );
}

function onKey(
  event: TargetedKeyboardEvent<HTMLUListElement>,
  tree: HTMLUListElement | null,
): void {
  const items = [...(tree?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
  const at = items.findIndex((item) => item === document.activeElement);
  const item = items[at];
  if (item === undefined) return;
  const row = item.querySelector<HTMLElement>(":scope > .tree-row");
  const isOpen = item.getAttribute("aria-expanded");
  const parent = item.parentElement?.closest<HTMLElement>('[role="treeitem"]') ?? undefined;
  const focus = (target: HTMLElement | undefined): void => {
    if (target === undefined) return;
    for (const each of items) each.tabIndex = each === target ? 0 : -1;
    target.focus();
  };
  if (event.key === "Enter" || event.key === " ") row?.click();
  else if (event.key === "ArrowDown") focus(items[at + 1]);
  else if (event.key === "ArrowUp") focus(items[at - 1]);
  else if (event.key === "Home") focus(items[0]);
  else if (event.key === "End") focus(items.at(-1));
  else if (event.key === "ArrowRight" && isOpen === "false") row?.click();
  else if (event.key === "ArrowRight" && isOpen === "true") focus(items[at + 1]);
  else if (event.key === "ArrowLeft" && isOpen === "true") row?.click();
  else if (event.key === "ArrowLeft") focus(parent);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
