import { StateIcon } from "../../components/state.tsx";
import type { WaveProgress } from "./waves.ts";

/** The waves in one line: a shape and a colour for each. */
export function WavePips({ waves }: { waves: readonly WaveProgress[] }) {
  const words = waves.map(({ number, look }) => `wave ${number} ${look.word.toLowerCase()}`);
  return (
    <span class="pips" role="img" aria-label={words.join(", ")}>
      {waves.map(({ number, look }) => (
        <span key={number} class={`pip t-${look.tone}`} title={`Wave ${number}: ${look.word}`}>
          <StateIcon look={look} isBare />
        </span>
      ))}
    </span>
  );
}
