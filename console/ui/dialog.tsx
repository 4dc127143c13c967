import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import "./dialog.css";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly foot?: ComponentChildren;
  readonly size?: "normal" | "wide";
}

/** Modal: the browser keeps the focus inside, and returns it afterwards. */
export function Dialog({ title, onClose, children, foot, size = "normal" }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    return () => dialog.current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog dialog-${size}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button icon="close" label="Close" look="quiet" onClick={onClose} />
      </header>
      <div class="dialog-body">{children}</div>
      {foot !== undefined && <footer class="dialog-foot">{foot}</footer>}
    </dialog>
  );
}
