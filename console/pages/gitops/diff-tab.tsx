// What a sync would change: a dry run of the server. Values of Secrets never arrive here.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { deploymentsKind, gitopsApi } from "../../api/gitops.ts";
import type { DeploymentDiff, PlannedField, PlannedObject } from "../../api/gitops.ts";
import { DiffView } from "../../components/diff-view.tsx";
import { StateIcon } from "../../components/state.tsx";
import { shortCommit } from "../../format/commit.ts";
import { plural } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { navigate } from "../../router/location.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import type { TabProps } from "./deployment-page.tsx";
import { diffHeadline, pointerOf, valueOf } from "./diff-text.ts";

export function DiffTab({ subject, query }: TabProps) {
  const { namespace, name } = subject;
  const revision = query.get("rev") ?? undefined;
  const { data, error, refetch } = useQuery(
    `gitops diff ${namespace} ${name} ${revision ?? ""}`,
    async (signal) => await gitopsApi.diff({ namespace, name }, revision, signal),
    {
      live: (change) =>
        change.kind === deploymentsKind && change.name === name && change.namespace === namespace,
    },
  );
  return (
    <div class="stack">
      <RevisionForm
        value={revision ?? ""}
        onChange={(rev) =>
          navigate(paths.deployment(namespace, name, "diff", { rev: rev || undefined }))
        }
      />
      {error !== undefined && (
        <Panel title="The diff could not be computed">
          <ErrorPanel error={error} onRetry={refetch} />
        </Panel>
      )}
      {data === undefined && error === undefined && <Skeleton lines={6} />}
      {data !== undefined && <Compared diff={data} />}
    </div>
  );
}

function RevisionForm({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const text = useSignal(value);
  useEffect(() => {
    text.value = value;
  }, [value]);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.value.trim());
      }}
    >
      <label class="row revision-field">
        <span class="nowrap">Compare the target with</span>
        <input
          class="input mono"
          placeholder="the target revision"
          autoComplete="off"
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>
      <Button type="submit">Compare</Button>
      {value !== "" && (
        <Button look="link" onClick={() => onChange("")}>
          Back to the target revision
        </Button>
      )}
    </form>
  );
}

function Compared({ diff }: { diff: DeploymentDiff }) {
  const { objects, prunes, problems } = diff;
  const ref = diff.ref.replace(/^refs\/(?:heads|tags)\//, "");
  return (
    <>
      <p class="muted">
        Commit <code title={diff.revision}>{shortCommit(diff.revision)}</code>
        {ref !== "" && ref !== diff.revision && ` of ${ref}`}. {diffHeadline(diff)}
      </p>
      {problems.length > 0 && (
        <Panel title={plural(problems.length, "problem")}>
          <table class="table">
            <tbody>
              {problems.map(({ reason, message, file }) => (
                <tr key={`${file} ${message}`}>
                  <td>
                    <StateIcon look={{ tone: "failed", word: reason }} />
                    <p class="sub">{sentence(message)}</p>
                    {file !== "" && <code class="small">{file}</code>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      )}
      {objects.map((object) => (
        <ObjectDiff key={nameOf(object)} object={object} />
      ))}
      {prunes.length > 0 && (
        <Panel title="Not in this commit" note={plural(prunes.length, "object")}>
          <table class="table">
            <tbody>
              {prunes.map((each) => (
                <tr key={nameOf(each)}>
                  <td>
                    <StateIcon look={pruneLook(each)} />
                  </td>
                  <td>{nameOf(each)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      )}
      {objects.length + prunes.length + problems.length === 0 && (
        <Panel title="Nothing differs" isPadded>
          <p class="muted">The target is as in this commit: a sync would change nothing.</p>
        </Panel>
      )}
    </>
  );
}

function pruneLook({ isHeld, isSkipped }: DeploymentDiff["prunes"][number]) {
  if (isSkipped) return { tone: "stored", word: "Stays" } as const;
  if (isHeld) return { tone: "waiting", word: "Waits for a confirmation" } as const;
  return { tone: "deleting", word: "Is deleted" } as const;
}

function nameOf({ kind, name, namespace }: Pick<PlannedObject, "kind" | "name" | "namespace">) {
  return `${kind}/${name}${namespace === undefined || namespace === "" ? "" : ` in ${namespace}`}`;
}

function ObjectDiff({ object }: { object: PlannedObject }) {
  const { action, file, changes, isHidden } = object;
  const isNew = action === "create";
  return (
    <Panel
      title={nameOf(object)}
      note={
        <>
          {isNew ? "is created" : plural(changes.length, "field")}
          {file !== undefined && file !== "" && (
            <>
              {" "}
              · <span class="mono">{file}</span>
            </>
          )}
        </>
      }
    >
      {changes.length === 0 && (
        <p class="muted panel-body">
          {isNew ? "The object does not exist in the target." : "Only metadata of the sync."}
        </p>
      )}
      {changes.length > 0 && (
        <DiffView changes={changes.map((change) => fieldChange(change, isHidden))} />
      )}
    </Panel>
  );
}

const kinds = { added: "add", changed: "replace", removed: "remove" } as const;

/** The server leaves values out that the caller may not read, and those of Secrets. */
function fieldChange({ path, kind, from, to }: PlannedField, isHidden: boolean) {
  return {
    kind: kinds[kind],
    path: pointerOf(path),
    ...(from === undefined ? {} : { old: valueOf(from) }),
    ...(to === undefined ? {} : { new: valueOf(to) }),
    ...(isHidden || (from === undefined && to === undefined) ? { isHidden: true } : {}),
  };
}
