// The objects of the deployment as a tree, the selected one, conditions, and when syncs may run.

import { paths, withQuery } from "../../paths.ts";
import { ConditionsPanel } from "../../components/conditions-panel.tsx";
import { navigate } from "../../router/location.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import type { TabProps } from "./deployment-page.tsx";
import { noProblemText } from "./answer.ts";
import { HeldPanel } from "./held-panel.tsx";
import { NodePanel } from "./node-panel.tsx";
import { ObjectTree } from "./object-tree.tsx";
import { SourcePanel } from "./source-panel.tsx";
import { keyOf, treeNote, treeOf } from "./tree.ts";
import { WindowsPanel } from "./windows-panel.tsx";

export function TreeTab({ subject, deployment, query }: TabProps) {
  const { namespace, name } = subject;
  const { status = {} } = deployment;
  const all = status.resources ?? [];
  const isProblemsOnly = query.get("only") === "problems";
  const groups = treeOf(all).filter(({ look }) => !isProblemsOnly || look.tone !== "ready");
  const here = paths.deployment(namespace, name, "tree", Object.fromEntries(query));
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    navigate(withQuery(here, changes), { replace: true });
  const current = query.get("node") ?? undefined;
  const selected = all.find((each) => keyOf(each) === current);
  return (
    <div class="columns">
      <div class="stack">
        <HeldPanel deployment={deployment} />
        <Panel
          title="Objects"
          note={treeNote(all.length, status.summary?.omitted ?? 0)}
          side={
            <Button
              look="link"
              isPressed={isProblemsOnly}
              onClick={() => set({ only: isProblemsOnly ? undefined : "problems" })}
            >
              {isProblemsOnly ? "Show all" : "Only problems"}
            </Button>
          }
        >
          {groups.length === 0 && (
            <Empty>
              {isProblemsOnly
                ? noProblemText(deployment)
                : "No objects yet. They are listed after the repository was read."}
            </Empty>
          )}
          {groups.length > 0 && (
            <ObjectTree
              label={`Objects of ${name}`}
              groups={groups}
              current={current}
              onSelect={(node) => set({ node })}
            />
          )}
        </Panel>
      </div>
      <div class="stack">
        {selected !== undefined && <NodePanel object={selected} deployment={deployment} />}
        <SourcePanel deployment={deployment} />
        <WindowsPanel deployment={deployment} />
        <ConditionsPanel document={deployment} />
      </div>
    </div>
  );
}
