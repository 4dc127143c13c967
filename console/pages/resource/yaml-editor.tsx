// The editor as a component: the text, its problems at their lines, and a list of them below.

import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "../../api/errors.ts";
import { kube } from "../../api/kube.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { useQuery } from "../../query/query.ts";
import { ErrorPanel, sentence } from "../../ui/notice.tsx";
import { createEditor } from "./editor-core.ts";
import type { Editor } from "./editor-core.ts";
import { Schemas } from "./schema.ts";
import { fieldPath, parseText } from "./yaml-fields.ts";

interface YamlEditorProps {
  readonly kind: KindInfo;
  readonly label: string;
  /** The first text. Later texts are set through the editor. */
  readonly text: string;
  /** What the server refused. */
  readonly error: Error | undefined;
  readonly line?: number | undefined;
  readonly editor: Signal<Editor | undefined>;
  readonly onChange: (text: string) => void;
  readonly onApply: () => void;
}

interface Problem {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly message: string;
}

export function useSchemas(kind: KindInfo): Schemas | undefined {
  const { data } = useQuery(
    `schema ${kind.group} ${kind.version}`,
    async (signal) => await kube.schema(kind, signal),
  );
  return data === undefined ? undefined : new Schemas(data, kind);
}

export function YamlEditor(props: YamlEditorProps) {
  const { kind, label, text, error, editor } = props;
  const host = useRef<HTMLDivElement>(null);
  const current = useSignal(text);
  const schemas = useRef<Schemas | undefined>(undefined);
  schemas.current = useSchemas(kind);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (host.current === null) return undefined;
    const created = createEditor({
      host: host.current,
      label,
      text,
      schemas: () => schemas.current,
      onChange: (next) => {
        current.value = next;
        latest.current.onChange(next);
      },
      onApply: () => latest.current.onApply(),
    });
    editor.value = created;
    if (props.line !== undefined) created.showLine(props.line);
    return () => {
      editor.value = undefined;
      created[Symbol.dispose]();
    };
  }, []);
  const problems = problemsOf(current.value, error);
  const marks = JSON.stringify(problems);
  useEffect(() => editor.value?.mark(problems), [marks, editor.value]);
  const isListed = problems.length > 0;
  return (
    <>
      <div ref={host} class="yaml-editor" />
      {isListed && (
        <ul class="yaml-problems" aria-label="Problems">
          {problems.map(({ from, line, message }) => (
            <li key={`${from} ${message}`}>
              <button type="button" onClick={() => editor.value?.show(from)}>
                <span class="t-failed mono">line {line}</span> {message}
              </button>
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && !hasFields(error) && (
        <ErrorPanel error={error} title="It is refused" />
      )}
    </>
  );
}

function hasFields(error: Error): boolean {
  return error instanceof ApiError && error.errors.some(({ field }) => field !== "");
}

/** Errors of the syntax at once, and those of the server at the fields that they name. */
function problemsOf(text: string, error: Error | undefined): readonly Problem[] {
  const { problems, spotOf } = parseText(text);
  const refused = error instanceof ApiError ? error.errors : [];
  return [
    ...problems,
    ...refused.map(({ field, detail }) => {
      const { from, to, line } = spotOf(fieldPath(field));
      return { from, to, line, message: `${field}: ${sentence(detail)}` };
    }),
  ];
}
