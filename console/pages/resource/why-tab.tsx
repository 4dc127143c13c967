import { isStatus } from "../../api/client.ts";
import { WhyTree } from "../../components/why-tree.tsx";
import { countCauses, countNodes, whyText } from "../../components/why-text.ts";
import { plural } from "../../format/number.ts";
import { Copy } from "../../ui/copy.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ConditionsPanel } from "../../components/conditions-panel.tsx";
import { EnginePanel } from "./engine-panel.tsx";
import { RunsPanel } from "./runs-panel.tsx";
import type { TabProps } from "./tab-content.tsx";
import { WantedPanel } from "./wanted-panel.tsx";

export function WhyTab(props: TabProps) {
  const { viewed, document, why } = props;
  return (
    <div class="columns">
      <div class="stack">
        <Tree {...props} />
        {document !== undefined && <RunsPanel viewed={viewed} document={document} />}
      </div>
      {document !== undefined && (
        <div class="stack">
          <ConditionsPanel document={document} />
          <WantedPanel document={document} />
          <EnginePanel document={document} why={why.data} />
        </div>
      )}
    </div>
  );
}

function Tree({ viewed, why }: TabProps) {
  const { data, error, refetch } = why;
  if (isStatus(error, 403)) {
    return (
      <Panel title="What holds it">
        <Empty>You may not read the explanation: it needs get on {viewed.kind.plural}/why.</Empty>
      </Panel>
    );
  }
  if (data === undefined) {
    return (
      <Panel title="What holds it">
        {error === undefined ? <Skeleton /> : <ErrorPanel error={error} onRetry={refetch} />}
      </Panel>
    );
  }
  const { resource } = data;
  const nodes = countNodes(resource);
  const causes = countCauses(resource);
  const isFine = data.ready || resource.state === "Unhandled";
  return (
    <Panel
      title={isFine ? "State" : "What holds it"}
      note={isFine ? undefined : `${plural(nodes, "resource")}, ${plural(causes, "root cause")}`}
      side={
        <Copy
          text={() => whyText(data)}
          label="Copy the explanation as text"
          word="Copy as text"
          isLink
        />
      }
    >
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      <WhyTree root={resource} label={`Why ${viewed.name} is in this state`} />
    </Panel>
  );
}
