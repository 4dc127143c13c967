import { paths } from "../../paths.ts";
import type { Operation } from "./document.ts";
import type { ApiSurface } from "./surfaces.ts";

interface ListProps {
  readonly surface: ApiSurface;
  readonly operations: readonly Operation[];
  readonly words?: string;
}

export function OperationList({ surface, operations, words = "" }: ListProps) {
  return (
    <ul class="operations">
      {operations.map(({ id, method, path, summary, command, isDeprecated }) => (
        <li key={id}>
          <a href={paths.reference({ surface: surface.id, q: words || undefined, op: id })}>
            {surface.isCommands === true ? (
              <span class="mono operation-path">{command}</span>
            ) : (
              <>
                <Method method={method} />
                <span class="mono operation-path">{path}</span>
              </>
            )}
            <span class="muted operation-summary">
              {isDeprecated && "Deprecated. "}
              {summary}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Reading is quiet; deleting is marked. */
export function Method({ method }: { method: string }) {
  return <span class={`method mono method-${method.toLowerCase()}`}>{method}</span>;
}
