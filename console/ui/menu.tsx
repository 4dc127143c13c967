import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import type { ShapeName } from "./shapes.ts";
import "./menu.css";

interface MenuProps {
  readonly label: string;
  readonly button?: ComponentChildren;
  readonly icon?: ShapeName;
  readonly look?: "plain" | "quiet";
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A button with a list of items below it. */
export function Menu({ label, button, icon, look = "plain", children, class: extra }: MenuProps) {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen.value) return undefined;
    const items = itemsOf(root.current);
    items[0]?.focus();
    const close = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) === true) return;
      isOpen.value = false;
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("focusin", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("focusin", close);
    };
  }, [isOpen.value]);
  const finish = (): void => {
    isOpen.value = false;
    root.current?.querySelector<HTMLElement>("button")?.focus();
  };
  return (
    <div
      ref={root}
      class={`menu ${extra ?? ""}`}
      onKeyDown={(event) => {
        if (!isOpen.value) return;
        if (event.key === "Escape") finish();
        else if (!move(root.current, event.key)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <Button
        label={label}
        {...(icon === undefined ? {} : { icon })}
        look={look}
        hasPopup="menu"
        expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {button}
      </Button>
      {isOpen.value && (
        <div class="menu-list" role="menu" aria-label={label} onClick={finish}>
          {children}
        </div>
      )}
    </div>
  );
}

interface ItemProps {
  readonly children: ComponentChildren;
  readonly href?: string;
  readonly onClick?: () => void;
  readonly off?: string | undefined;
  readonly isChosen?: boolean;
  readonly isDanger?: boolean;
  readonly shortcut?: string | undefined;
}

export function MenuItem(props: ItemProps) {
  const { children, href, onClick, off, isChosen, isDanger = false, shortcut } = props;
  const attributes = {
    class: `menu-item ${isDanger ? "t-failed" : ""}`,
    role: isChosen === undefined ? ("menuitem" as const) : ("menuitemradio" as const),
    tabIndex: -1,
    "aria-checked": isChosen,
    "aria-disabled": off === undefined ? undefined : ("true" as const),
  };
  const content = (
    <>
      <span class="menu-word">{children}</span>
      {shortcut !== undefined && <kbd>{shortcut}</kbd>}
      {off !== undefined && <span class="menu-reason">{off}</span>}
    </>
  );
  if (href !== undefined && off === undefined) {
    return (
      <a {...attributes} href={href}>
        {content}
      </a>
    );
  }
  return (
    <button
      {...attributes}
      type="button"
      onClick={(event) => {
        if (off === undefined) onClick?.();
        else event.stopPropagation();
      }}
    >
      {content}
    </button>
  );
}

export function MenuLine() {
  return <hr class="menu-line" />;
}

function itemsOf(root: HTMLElement | null): readonly HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
}

function move(root: HTMLElement | null, key: string): boolean {
  const items = itemsOf(root);
  const at = items.findIndex((item) => item === document.activeElement);
  const places: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const next = places[key];
  if (next === undefined) return false;
  items[next]?.focus();
  return true;
}
