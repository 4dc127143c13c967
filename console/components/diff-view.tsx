import type { FieldChange, JsonValue } from "../api/types.ts";
import { shownPath, shownValue } from "./diff-text.ts";
import "./diff-view.css";

const words = { add: "added", remove: "removed", replace: "changed" } as const;

/** What differs between two documents, field by field, as the server compared them. */
export function DiffView({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return <p class="muted diff-none">No differences.</p>;
  return (
    <ol class="diff">
      {changes.map((change) => (
        <li key={change.path}>
          <div class="diff-path">
            <code>{shownPath(change.path)}</code>
            <span class="muted small">
              {words[change.kind]}
              {change.why !== undefined && `: ${change.why}`}
            </span>
          </div>
          {change.isHidden === true ? (
            <p class="muted small">The values are secret and not shown.</p>
          ) : (
            <>
              {change.kind !== "add" && <Side mark="−" value={change.old} look="old" />}
              {change.kind !== "remove" && <Side mark="+" value={change.new} look="new" />}
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

interface SideProps {
  readonly mark: string;
  readonly value: JsonValue | undefined;
  readonly look: "old" | "new";
}

function Side({ mark, value, look }: SideProps) {
  return (
    <pre class={`diff-side diff-${look}`}>
      <span class="visually-hidden">{look === "old" ? "before" : "after"}</span>
      <span class="diff-mark" aria-hidden="true">
        {mark}
      </span>
      <code>{shownValue(value)}</code>
    </pre>
  );
}
