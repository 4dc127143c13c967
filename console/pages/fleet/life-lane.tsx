import type { Instance } from "../../api/fleet.ts";
import { StateIcon } from "../../components/state.tsx";
import type { Look } from "../../states/states.ts";
import { Time } from "../../ui/time.tsx";
import { lifeSteps } from "./life-steps.ts";

const passed: Look = { tone: "ready", word: "Passed" };
const ahead: Look = { tone: "unknown", word: "Not reached" };

/** The phases on the way to the present one: by shape, colour and word. */
export function LifeLane({ instance: { status = {} } }: { instance: Instance }) {
  const { phase = "accepted", phaseSince, readyAt } = status;
  return (
    <ol class="life" aria-label="Life cycle">
      {lifeSteps(phase, readyAt !== undefined).map((step) => (
        <li
          key={step.phase}
          class={`life-${step.kind}`}
          aria-current={step.kind === "current" ? "step" : undefined}
        >
          {step.kind === "current" ? (
            <StateIcon look={step.look} />
          ) : (
            <>
              <StateIcon look={step.kind === "passed" ? passed : ahead} isBare />
              <span>{step.look.word}</span>
            </>
          )}
          {step.kind === "current" && phaseSince !== undefined && (
            <span class="muted small">
              since <Time at={phaseSince} />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
