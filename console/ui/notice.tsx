// What is shown in place of content: nothing found, not loaded yet, or an error.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { ApiError } from "../api/errors.ts";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Icon } from "./icon.tsx";
import "./notice.css";

export function Empty({ children, action }: EmptyProps) {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
    </div>
  );
}

interface EmptyProps {
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}

const quietMs = 200;

/** Nothing for 200 ms, then lines that keep the place of the content. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  const isShown = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      isShown.value = true;
    }, quietMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {isShown.value && Array.from({ length: lines }, (_, at) => <div key={at} />)}
    </div>
  );
}

interface ErrorProps {
  readonly error: Error;
  readonly onRetry?: () => void;
  /** What could not be done: "The list could not be read." */
  readonly title?: string;
}

export function ErrorPanel({ error, onRetry, title }: ErrorProps) {
  const { suggestion, code, traceId, errors } =
    error instanceof ApiError ? error : new ApiError({ status: 0, code: "", message: "" });
  const technical = [code, traceId === undefined ? "" : `trace ${traceId}`].filter(Boolean);
  return (
    <div class="error" role="alert">
      <span class="t-failed">
        <Icon name="failed" />
      </span>
      <div class="error-text">
        <p class="strong">{title ?? sentence(error.message)}</p>
        {title !== undefined && <p>{sentence(error.message)}</p>}
        {errors.length > 0 && (
          <ul>
            {errors.map(({ field, detail }) => (
              <li key={field + detail}>
                <code>{field}</code>: {detail}
              </li>
            ))}
          </ul>
        )}
        {suggestion !== undefined && <p>{sentence(suggestion)}</p>}
        {technical.length > 0 && (
          <p class="muted small mono error-code">
            {technical.join(" · ")}
            {traceId !== undefined && <Copy text={traceId} label="Copy the trace id" />}
          </p>
        )}
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** "the filter is wrong" becomes "The filter is wrong." */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const start = /^[a-z]+ /.test(trimmed) ? trimmed[0]?.toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?:]$/.test(start) ? start : `${start}.`;
}
