// A dependency graph: nodes as buttons over the lines of one drawing. A change of a state changes a
// node in place; nodes move only when the structure changes.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TargetedKeyboardEvent } from "preact";
import { StateIcon } from "../components/state.tsx";
import type { Look } from "../states/states.ts";
import { Button } from "../ui/button.tsx";
import { Skeleton } from "../ui/notice.tsx";
import { nextNode } from "./graph-keys.ts";
import { curve, nodeSize } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { useLayout } from "./use-layout.ts";
import "./graph.css";

export interface GraphNodeView {
  readonly id: string;
  readonly title: string;
  /** The kind, or what it is. */
  readonly note: string;
  readonly look: Look;
  readonly isProblem: boolean;
  /** Dependants can be built on it. */
  readonly isDone: boolean;
}

interface GraphProps {
  readonly label: string;
  readonly nodes: readonly GraphNodeView[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly current: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

const zooms = [0.4, 0.5, 0.65, 0.8, 1, 1.25] as const;
const wholeZoom = zooms.indexOf(1);

export function Graph({ label, nodes, edges, current, onSelect }: GraphProps) {
  const layout = useLayout({ nodes: nodes.map(({ id }) => id), edges });
  const frame = useRef<HTMLDivElement>(null);
  const zoom = useSignal<number>(wholeZoom);
  const fit = (): void => {
    if (layout !== undefined) zoom.value = fittingZoom(layout, frame.current);
  };
  useEffect(fit, [layout]);
  if (layout === undefined) return <Skeleton lines={6} />;
  const scale = zooms[zoom.value] ?? 1;
  const problems = nodes.filter(({ isProblem }) => isProblem).map(({ id }) => id);
  const onKey = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.key === "0") fit();
    const next = nextNode(event.key, { layout, current: current ?? nodes[0]?.id ?? "", problems });
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next);
    frame.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(next)}"]`)?.focus();
  };
  return (
    <div class="graph-frame">
      <div class="graph-tools">
        <Button
          label="Smaller"
          icon="minus"
          off={zoom.value === 0 ? "It is as small as possible." : undefined}
          onClick={() => (zoom.value -= 1)}
        />
        <Button
          label="Larger"
          icon="plus"
          off={zoom.value === zooms.length - 1 ? "It is as large as possible." : undefined}
          onClick={() => (zoom.value += 1)}
        />
        <Button onClick={fit}>Fit</Button>
      </div>
      <div ref={frame} class="graph" onKeyDown={onKey} role="group" aria-label={label}>
        <div
          class="graph-space"
          style={{ width: `${layout.width * scale}px`, height: `${layout.height * scale}px` }}
        >
          <div
            class="graph-content"
            style={{
              width: `${layout.width}px`,
              height: `${layout.height}px`,
              transform: `scale(${scale})`,
            }}
          >
            <Lines layout={layout} nodes={nodes} current={current} />
            {nodes.map((node) => (
              <Node
                key={node.id}
                node={node}
                layout={layout}
                edges={edges}
                isCurrent={node.id === current}
                onSelect={onSelect}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

interface LinesProps {
  readonly layout: Layout;
  readonly nodes: readonly GraphNodeView[];
  readonly current: string | undefined;
}

/** Solid: the dependency is satisfied. Dashed: it waits. Thick: it leads to a problem. */
function Lines({ layout, nodes, current }: LinesProps) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (
    <svg class="graph-lines" width={layout.width} height={layout.height} aria-hidden="true">
      {layout.lines.map(({ from, to, points }) => {
        const dependency = byId.get(to);
        const classes = [
          dependency?.isDone === true ? "" : "line-waits",
          dependency?.isProblem === true ? "line-problem" : "",
          from === current || to === current ? "line-current" : "",
        ];
        const end = points.at(-1);
        return (
          <g key={`${from} ${to}`} class={classes.join(" ")}>
            <path d={curve(points)} />
            {end !== undefined && <path d={`M${end.x} ${end.y}l-6 -3.500v7z`} class="line-end" />}
          </g>
        );
      })}
    </svg>
  );
}

interface NodeProps {
  readonly node: GraphNodeView;
  readonly layout: Layout;
  readonly edges: GraphProps["edges"];
  readonly isCurrent: boolean;
  readonly onSelect: (id: string | undefined) => void;
}

function Node({ node, layout, edges, isCurrent, onSelect }: NodeProps) {
  const { id, title, note, look } = node;
  const place = layout.places[id];
  if (place === undefined) return null;
  const needs = edges.filter(({ from }) => from === id).length;
  const depends = needs === 0 ? "no dependencies" : `${needs} dependencies`;
  return (
    <button
      type="button"
      data-node={id}
      class={`graph-node t-${look.tone} ${isCurrent ? "graph-node-current" : ""}`}
      aria-pressed={isCurrent}
      style={{
        left: `${place.x}px`,
        top: `${place.y}px`,
        width: `${nodeSize.width}px`,
        height: `${nodeSize.height}px`,
      }}
      onClick={() => onSelect(isCurrent ? undefined : id)}
    >
      <StateIcon look={look} isBare />
      <span class="graph-node-text">
        <span class="strong">{title}</span> <span class="muted small">{note}</span>
      </span>
      <span class="visually-hidden">
        , {look.word}, {depends}
      </span>
    </button>
  );
}

function fittingZoom({ width, height }: Layout, frame: HTMLElement | null): number {
  if (frame === null) return wholeZoom;
  const share = Math.min(frame.clientWidth / width, Math.max(320, frame.clientHeight) / height, 1);
  const found = zooms.findLastIndex((scale) => scale <= share);
  return Math.max(0, found);
}
