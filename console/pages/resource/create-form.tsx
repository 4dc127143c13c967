import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { report } from "../../actions/question.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { kube } from "../../api/kube.ts";
import { without } from "../../format/without.ts";
import type { Resource } from "../../api/types.ts";
import { paths } from "../../paths.ts";
import { refetchAll } from "../../query/query.ts";
import { navigate } from "../../router/location.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ApplyDialog } from "./apply-dialog.tsx";
import type { CreateProps } from "./create-page.tsx";
import { documentDiff } from "./document-diff.ts";
import type { Editor } from "./editor-core.ts";
import { template } from "./schema.ts";
import type { Schemas } from "./schema.ts";
import { useSchemas, YamlEditor } from "./yaml-editor.tsx";
import { parseText } from "./yaml-fields.ts";
import "./yaml.css";

export function CreateForm(props: CreateProps) {
  const schemas = useSchemas(props.kind);
  return schemas === undefined ? <Skeleton lines={12} /> : <Form {...props} schemas={schemas} />;
}

function Form({ kind, namespace, name, schemas }: CreateProps & { readonly schemas: Schemas }) {
  const start = template(kind, schemas, { namespace, name });
  const text = useSignal(start);
  const error = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  const result = useSignal<Resource | undefined>(undefined);
  const editor = useSignal<Editor | undefined>(undefined);
  const draft = { text, error, isBusy };
  const check = async (): Promise<void> => {
    result.value = await attempt({ kind, namespace, name }, draft, true);
  };
  const create = async (): Promise<void> => {
    const created = await attempt({ kind, namespace, name }, draft, false);
    result.value = undefined;
    if (created !== undefined) openCreated(kind, created);
  };
  const { problems } = parseText(text.value);
  const off = problems.length > 0 ? `Line ${problems[0]?.line} is not YAML.` : undefined;
  return (
    <div class="stack">
      <h1>New {kind.kind}</h1>
      <Panel title="YAML" note="Ctrl Space proposes fields">
        <YamlEditor
          kind={kind}
          label={`YAML of the new ${kind.kind}`}
          text={start}
          error={error.value}
          editor={editor}
          onChange={(next) => {
            text.value = next;
            error.value = undefined;
          }}
          onApply={() => void check()}
        />
        <div class="yaml-foot row">
          <Button look="main" off={off} isBusy={isBusy.value} onClick={() => void check()}>
            Review and create
          </Button>
          <Button href={paths.kind(kind.id, { ns: namespace })}>Cancel</Button>
        </div>
      </Panel>
      {result.value !== undefined && (
        <ApplyDialog
          title={`Create ${kind.kind}/${result.value.metadata.name}?`}
          changes={documentDiff({}, shownPart(result.value))}
          isBusy={isBusy.value}
          onApply={() => void create()}
          onClose={() => {
            result.value = undefined;
          }}
        />
      )}
    </div>
  );
}

interface Draft {
  readonly text: Signal<string>;
  readonly error: Signal<Error | undefined>;
  readonly isBusy: Signal<boolean>;
}

async function attempt(
  { kind, namespace }: CreateProps,
  { text, error, isBusy }: Draft,
  isDryRun: boolean,
): Promise<Resource | undefined> {
  isBusy.value = true;
  error.value = undefined;
  try {
    const place = kind.isNamespaced ? (namespaceIn(text.value) ?? (namespace || "default")) : "";
    return await kube.create(kind, place, text.value, isDryRun);
  } catch (reason) {
    error.value = reason instanceof Error ? reason : new Error(String(reason));
    return undefined;
  } finally {
    isBusy.value = false;
  }
}

function openCreated(kind: KindInfo, { metadata }: Resource): void {
  const { name, namespace = "" } = metadata;
  report.value = { kind: "done", text: `${kind.kind}/${name} was created.` };
  refetchAll();
  navigate(paths.resource({ kind: kind.id, namespace, name }));
}

function namespaceIn(text: string): string | undefined {
  const { value } = parseText(text);
  const { metadata } = (value ?? {}) as { readonly metadata?: { readonly namespace?: unknown } };
  return typeof metadata?.namespace === "string" ? metadata.namespace : undefined;
}

/** With the defaults that the server fills in, and without what it only records. */
function shownPart(resource: Resource): unknown {
  const { name, namespace, labels, annotations } = resource.metadata;
  return { ...without(resource, "status"), metadata: { name, namespace, labels, annotations } };
}
