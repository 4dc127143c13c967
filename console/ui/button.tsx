import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { ShapeName } from "./shapes.ts";
import "./button.css";

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: ShapeName;
  /** The name for assistive technology, when there is no text. */
  readonly label?: string;
  readonly look?: "plain" | "main" | "danger" | "quiet" | "link";
  /** Why it cannot be used now. The button stays in the page, with the reason. */
  readonly off?: string | undefined;
  readonly shortcut?: string | undefined;
  readonly href?: string;
  readonly onClick?: (event: TargetedMouseEvent<HTMLElement>) => void;
  readonly type?: "button" | "submit";
  readonly isPressed?: boolean;
  readonly isBusy?: boolean;
  readonly expanded?: boolean | undefined;
  readonly hasPopup?: "menu" | "dialog" | "listbox";
  readonly class?: string;
}

export function Button(props: ButtonProps) {
  const { children, icon, label, look = "plain", off, shortcut, href, isBusy = false } = props;
  const id = useId();
  const isOff = off !== undefined || isBusy;
  const classes = ["button", `button-${look}`, children === undefined ? "button-square" : ""];
  const attributes = {
    class: [...classes, props.class ?? ""].join(" "),
    "aria-label": label,
    "aria-disabled": isOff ? ("true" as const) : undefined,
    "aria-describedby": off === undefined ? undefined : id,
    "aria-keyshortcuts": shortcut,
    title: off ?? (children === undefined ? label : undefined),
  };
  const content = (
    <>
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {shortcut !== undefined && <kbd aria-hidden="true">{shortcut}</kbd>}
    </>
  );
  const reason = off !== undefined && (
    <span id={id} class="visually-hidden">
      {off}
    </span>
  );
  if (href !== undefined && !isOff) {
    return (
      <a {...attributes} href={href}>
        {content}
      </a>
    );
  }
  return (
    <>
      <button
        {...attributes}
        type={props.type ?? "button"}
        aria-pressed={props.isPressed}
        aria-expanded={props.expanded}
        aria-haspopup={props.hasPopup}
        aria-busy={isBusy ? "true" : undefined}
        onClick={(event) => {
          if (isOff) event.preventDefault();
          else props.onClick?.(event);
        }}
      >
        {content}
      </button>
      {reason}
    </>
  );
}
