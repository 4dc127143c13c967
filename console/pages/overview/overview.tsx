// Is anything wrong, and where to start.

import { insight } from "../../api/insight.ts";
import { isStatus } from "../../api/client.ts";
import type { Counts } from "../../api/types.ts";
import { StateBar, StateLegend } from "../../components/state.tsx";
import { currentNamespace } from "../../components/namespace-switch.tsx";
import { spanText } from "../../format/time.ts";
import { plural } from "../../format/number.ts";
import { useQuery } from "../../query/query.ts";
import type { PageProps } from "../../routes.tsx";
import { paths } from "../../paths.ts";
import { sumStates } from "../../states/states.ts";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { ChangesPanel } from "./changes-panel.tsx";
import { EnginePanel } from "./engine-panel.tsx";
import { headline } from "./headline.ts";
import { KindsPanel } from "./kinds-panel.tsx";
import { ProblemsPanel } from "./problems-panel.tsx";
import "./overview.css";

export function Overview(_props: PageProps) {
  const namespace = currentNamespace();
  const counts = useQuery<Counts>(
    namespace === "" ? "counts" : `counts ${namespace}`,
    async (signal) => await insight.counts({ namespace }, signal),
    { live: () => true },
  );
  if (counts.data === undefined) {
    if (counts.error === undefined) return <Skeleton lines={8} />;
    return (
      <ErrorPanel error={counts.error} onRetry={counts.refetch} title="The counts cannot be read" />
    );
  }
  const states = sumStates(counts.data.kinds);
  const total = counts.data.kinds.reduce((sum, kind) => sum + kind.total, 0);
  const where = namespace === "" ? {} : { ns: namespace };
  return (
    <>
      <header class="page-head">
        <h1>{headline(states, total, namespace)}</h1>
        <p class="muted">
          <WorkSentence />
        </p>
        {counts.error !== undefined && <ErrorPanel error={counts.error} onRetry={counts.refetch} />}
      </header>
      {total === 0 ? (
        <FirstSteps />
      ) : (
        <section aria-label="States" class="states">
          <StateBar states={states} />
          <StateLegend
            states={states}
            hrefOf={(state) => paths.explorer({ ...where, state: state.toLowerCase() })}
          />
        </section>
      )}
      <div class="columns">
        <div class="stack">
          <ProblemsPanel namespace={namespace} />
          <KindsPanel kinds={counts.data.kinds} namespace={namespace} />
        </div>
        <div class="stack">
          <EnginePanel />
          <ChangesPanel namespace={namespace} />
        </div>
      </div>
    </>
  );
}

/** What the engine does now. Left out for a user who may not read it. */
function WorkSentence() {
  const { data, error } = useQuery(
    "operations",
    async (signal) => await insight.operations({}, signal),
    { live: () => true },
  );
  if (isStatus(error, 403)) return <>The state of the engine is not visible to you.</>;
  if (data === undefined) return <>&nbsp;</>;
  const due = data.queues.reduce((sum, queue) => sum + queue.due, 0);
  const oldest = Math.max(...data.queues.map(({ oldestDueMs = 0 }) => Math.abs(oldestDueMs)), 0);
  const runs = `${plural(data.running.length, "run")} in progress on this server.`;
  if (due === 0) return <>{runs} Nothing is due.</>;
  return (
    <>
      {runs} {plural(due, "resource is", "resources are")} due, the oldest for {spanText(oldest)}.
    </>
  );
}

const example = "kubectl apply -f examples/greeting/hello.yaml";

function FirstSteps() {
  return (
    <Empty
      action={
        <div class="row">
          <Button href={paths.explorer()} look="main">
            Open the explorer
          </Button>
          <Copy
            text={example}
            label="Copy a command to apply a manifest"
            word="Copy a first command"
          />
        </div>
      }
    >
      No resources yet. Apply a manifest, or start the demo with <code>npm start</code>.
    </Empty>
  );
}
