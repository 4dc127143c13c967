// The resource as YAML. The text belongs to the user: a newer revision is reported and never put in
// its place. Before a write, a dry run shows what would change.

import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { report } from "../../actions/question.ts";
import { without } from "../../format/without.ts";
import { kube } from "../../api/kube.ts";
import { mayOn } from "../../api/rights.ts";
import type { FieldChange, Resource } from "../../api/types.ts";
import { refetchAll, useQuery } from "../../query/query.ts";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ApplyDialog } from "./apply-dialog.tsx";
import { documentDiff } from "./document-diff.ts";
import { editedText, revisionOf } from "./edited-text.ts";
import type { Editor } from "./editor-core.ts";
import { mergeText } from "./merge-text.ts";
import { NewerRevision } from "./newer-revision.tsx";
import type { Viewed } from "./resource-page.tsx";
import type { TabProps } from "./tab-content.tsx";
import { YamlEditor } from "./yaml-editor.tsx";
import { parseText } from "./yaml-fields.ts";
import "./yaml.css";

export function YamlTab({ viewed, document, query }: TabProps) {
  const { kind, namespace, name } = viewed;
  const first = useQuery(`yaml ${kind.id} ${namespace} ${name}`, async (signal) =>
    editedText(await kube.getYaml(kind, { namespace, name }, signal), kind),
  );
  const started = useSignal<string | undefined>(undefined);
  // The text that was read when the tab was opened; a later one does not replace it.
  if (started.value === undefined && first.data !== undefined && !first.isLoading) {
    started.value = first.data;
  }
  if (started.value === undefined) {
    return first.error === undefined ? (
      <Skeleton lines={12} />
    ) : (
      <ErrorPanel error={first.error} onRetry={first.refetch} />
    );
  }
  const line = Number(query.get("line") ?? 0);
  return (
    <Edited
      viewed={viewed}
      document={document}
      start={started.value}
      line={line > 0 ? line : undefined}
    />
  );
}

interface EditedProps {
  readonly viewed: Viewed;
  readonly document: Resource | undefined;
  readonly start: string;
  readonly line: number | undefined;
}

interface Draft {
  /** As it was read: the base of a merge. */
  readonly base: Signal<string>;
  readonly text: Signal<string>;
  readonly error: Signal<Error | undefined>;
  readonly isBusy: Signal<boolean>;
  readonly plan: Signal<readonly FieldChange[] | undefined>;
  readonly editor: Signal<Editor | undefined>;
  readonly conflicts: Signal<readonly string[]>;
}

function useDraft(start: string): Draft {
  return {
    base: useSignal(start),
    text: useSignal(start),
    error: useSignal<Error | undefined>(undefined),
    isBusy: useSignal(false),
    plan: useSignal<readonly FieldChange[] | undefined>(undefined),
    editor: useSignal<Editor | undefined>(undefined),
    conflicts: useSignal<readonly string[]>([]),
  };
}

function Edited({ viewed, document, start, line }: EditedProps) {
  const { kind, name } = viewed;
  const draft = useDraft(start);
  const isChanged = draft.text.value !== draft.base.value;
  const newest = document?.metadata.resourceVersion;
  const isOld = newest !== undefined && newest !== revisionOf(draft.base.value);
  const off = applyOff(viewed, draft, isChanged);
  const check = (): void => {
    if (off === undefined) void review(viewed, draft);
  };
  return (
    <Panel
      title="YAML"
      note={kind.hasStatus ? "without status and managed fields" : "without managed fields"}
      side={<Copy text={() => draft.text.value} label="Copy the text" word="Copy" isLink />}
    >
      {isOld && (
        <NewerRevision
          viewed={viewed}
          base={draft.base.value}
          isChanged={isChanged}
          onReload={() => void reload(viewed, draft)}
          onMerge={() => void merge(viewed, draft)}
        />
      )}
      {draft.conflicts.value.length > 0 && (
        <p class="yaml-note t-waiting" role="status">
          Both changed {draft.conflicts.value.join(", ")}: your values are kept.
        </p>
      )}
      <YamlEditor
        kind={kind}
        label={`YAML of ${name}`}
        text={start}
        error={draft.error.value}
        line={line}
        editor={draft.editor}
        onChange={(text) => {
          draft.text.value = text;
          draft.error.value = undefined;
        }}
        onApply={check}
      />
      <Foot draft={draft} off={off} isChanged={isChanged} onCheck={check} />
      {draft.plan.value !== undefined && (
        <ApplyDialog
          title={`Apply to ${kind.kind}/${name}?`}
          changes={draft.plan.value}
          isBusy={draft.isBusy.value}
          onApply={() => void apply(viewed, draft)}
          onClose={() => {
            draft.plan.value = undefined;
          }}
        />
      )}
    </Panel>
  );
}

interface FootProps {
  readonly draft: Draft;
  readonly off: string | undefined;
  readonly isChanged: boolean;
  readonly onCheck: () => void;
}

function Foot({ draft, off, isChanged, onCheck }: FootProps) {
  return (
    <div class="yaml-foot row">
      <Button look="main" off={off} isBusy={draft.isBusy.value} onClick={onCheck}>
        Review and apply
      </Button>
      <Button
        off={isChanged ? undefined : "Nothing was changed."}
        onClick={() => draft.editor.value?.setText(draft.base.value)}
      >
        Discard changes
      </Button>
      <span class="muted small end wide-only">Ctrl Enter reviews, Ctrl Space proposes fields.</span>
    </div>
  );
}

/** A dry run, and what it would change. */
async function review(viewed: Viewed, draft: Draft): Promise<void> {
  const { kind } = viewed;
  const result = await attempt(draft, async () => await write(viewed, draft, true));
  if (result === undefined) return;
  const after = kind.hasStatus ? without(result, "status") : result;
  draft.plan.value = documentDiff(parseText(draft.base.value).value, after);
}

async function apply(viewed: Viewed, draft: Draft): Promise<void> {
  const { kind, name } = viewed;
  const result = await attempt(draft, async () => await write(viewed, draft, false));
  draft.plan.value = undefined;
  if (result === undefined) return;
  report.value = { kind: "done", text: `${kind.kind}/${name} was changed.` };
  await reload(viewed, draft);
  refetchAll();
}

function applyOff(
  { kind, namespace, name }: Viewed,
  { text }: Draft,
  isChanged: boolean,
): string | undefined {
  if (!kind.verbs.has("update")) return `${kind.kind} cannot be changed.`;
  if (mayOn(kind, { namespace, name, verb: "update" }) === false) {
    return `You may not update ${kind.plural}${namespace === "" ? "" : ` in ${namespace}`}.`;
  }
  if (!isChanged) return "Nothing was changed.";
  const { problems } = parseText(text.value);
  return problems.length > 0 ? `Line ${problems[0]?.line} is not YAML.` : undefined;
}

async function write(viewed: Viewed, { text }: Draft, isDryRun: boolean): Promise<Resource> {
  return await kube.replace(viewed.kind, viewed, text.value, isDryRun);
}

async function attempt<T>(draft: Draft, work: () => Promise<T>): Promise<T | undefined> {
  draft.isBusy.value = true;
  draft.error.value = undefined;
  try {
    return await work();
  } catch (reason) {
    draft.error.value = reason instanceof Error ? reason : new Error(String(reason));
    return undefined;
  } finally {
    draft.isBusy.value = false;
  }
}

async function reload(viewed: Viewed, draft: Draft): Promise<void> {
  const text = await attempt(draft, async () => await readText(viewed));
  if (text === undefined) return;
  draft.base.value = text;
  draft.conflicts.value = [];
  draft.editor.value?.setText(text);
}

async function merge(viewed: Viewed, draft: Draft): Promise<void> {
  const theirs = await attempt(draft, async () => await readText(viewed));
  if (theirs === undefined) return;
  const { text, conflicts } = mergeText(draft.base.value, draft.text.value, theirs);
  draft.base.value = theirs;
  draft.conflicts.value = conflicts;
  draft.editor.value?.setText(text);
}

async function readText(viewed: Viewed): Promise<string> {
  return editedText(await kube.getYaml(viewed.kind, viewed), viewed.kind);
}
