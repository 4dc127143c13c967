import type { Rollout, Wave } from "../../api/fleet.ts";
import { StateIcon } from "../../components/state.tsx";
import { countText, plural } from "../../format/number.ts";
import { longSpanText, spanText } from "../../format/time.ts";
import { now } from "../../ui/now.ts";
import { Panel } from "../../ui/panel.tsx";
import { wavesOf } from "./waves.ts";
import type { WaveProgress } from "./waves.ts";

/** Each wave with how far it is; between two waves, the gate. */
export function WavesPanel({ rollout }: { rollout: Rollout }) {
  const waves = wavesOf(rollout);
  return (
    <Panel title="Waves" note="the gates must hold in all of them">
      <ol class="waves">
        {waves.map((wave, index) => (
          <WaveRow
            key={wave.number}
            wave={wave}
            settings={rollout.spec.waves[index] ?? {}}
            waveDoneAt={wave.isCurrent ? rollout.status?.waveDoneAt : undefined}
          />
        ))}
      </ol>
    </Panel>
  );
}

interface WaveRowProps {
  readonly wave: WaveProgress;
  readonly settings: Wave;
  readonly waveDoneAt: string | undefined;
}

function WaveRow({ wave, settings, waveDoneAt }: WaveRowProps) {
  const { number, look, target, updated, isCurrent } = wave;
  const done = Math.min(updated, target);
  const text = `${countText(done)} of ${plural(target, "instance")}`;
  const { maxUnavailable = 1, soakSeconds = 0 } = settings;
  const rules = [
    `${maxUnavailable} at a time`,
    ...(soakSeconds > 0 ? [`must stay healthy for ${spanText(soakSeconds * 1_000)}`] : []),
  ];
  const isSoaking = look.word === "Soaking" && waveDoneAt !== undefined;
  const leftMs = isSoaking ? Date.parse(waveDoneAt) + soakSeconds * 1_000 - now.value : 0;
  return (
    <li class={isCurrent ? "wave-current" : ""} aria-current={isCurrent ? "step" : undefined}>
      <span class="wave-state">
        <StateIcon look={look} />
      </span>
      <span class="wave-name strong">Wave {number}</span>
      <span class="wave-bar">
        <span class="muted small">{text}</span>
        <span
          class={`capacity-scale t-${look.tone === "unknown" ? "stored" : look.tone}`}
          role="meter"
          aria-label={`Wave ${number}`}
          aria-valuetext={text}
          aria-valuemin={0}
          aria-valuemax={Math.max(target, 1)}
          aria-valuenow={done}
        >
          <b style={{ width: `${(done / Math.max(target, 1)) * 100}%` }} />
        </span>
      </span>
      <span class="wave-rules muted small">
        {rules.join(", ")}
        {isSoaking && leftMs > 0 && <b>, {longSpanText(leftMs)} left</b>}
      </span>
    </li>
  );
}
