// What a rollout does next. Pure: facts about its Environments in, the state of each and the names
// of those to move out. A wave begins when every Environment of the waves before it is moved.

export const rolloutPhases = [
  "Planning",
  "AwaitingApproval",
  "Rolling",
  "Paused",
  "Succeeded",
] as const;
export type RolloutPhase = (typeof rolloutPhases)[number];

export const rolloutStates = [
  "Planning",
  "Planned",
  "Moving",
  "Moved",
  "Failed",
  "Skipped",
] as const;
export type RolloutState = (typeof rolloutStates)[number];

export interface MemberFacts {
  readonly name: string;
  /** Absent: the Environment was deleted or destroyed. */
  readonly environment?: {
    /** Whether its spec names the new Template. */
    readonly isMoved: boolean;
    /** Whether its state is about that spec. */
    readonly isCurrent: boolean;
    readonly phase: string;
    readonly message: string;
    /** Another ServiceAccount than the one that was checked at the creation of the rollout. */
    readonly hasOtherAccount: boolean;
  };
  readonly plan?: { readonly phase: string; readonly message: string };
}

export interface RolloutFacts {
  readonly members: readonly MemberFacts[];
  readonly waves: readonly number[];
  readonly isApproved: boolean;
  readonly isPaused: boolean;
  readonly skip: ReadonlySet<string>;
}

export interface MemberState {
  readonly name: string;
  /** From 1. */
  readonly wave: number;
  readonly state: RolloutState;
  readonly message: string;
}

export interface Decision {
  readonly phase: RolloutPhase;
  readonly message: string;
  readonly wave: number;
  readonly members: readonly MemberState[];
  /** Environments to move now. */
  readonly move: readonly string[];
}

export function decide(facts: RolloutFacts): Decision {
  const { members: all, waves, isApproved, isPaused, skip } = facts;
  const members = all.map((member, at) => {
    const { state, message } = stateOf(member, skip);
    return { name: member.name, wave: waveAt(at, waves), state, message };
  });
  const isOver = ({ state }: MemberState): boolean => state === "Moved" || state === "Skipped";
  const open = members.filter((member) => !isOver(member));
  const [first] = open;
  const last = members.at(-1)?.wave ?? 0;
  if (first === undefined) {
    return { phase: "Succeeded", message: "", wave: last, members, move: [] };
  }
  const { wave } = first;
  const decided = { wave, members, move: [] as readonly string[] };
  const planning = members.filter(({ state }) => state === "Planning").length;
  if (planning > 0) {
    const message = `${planning} of ${members.length} environments are being planned`;
    return { ...decided, phase: "Planning", message };
  }
  if (!isApproved) {
    const message = "set spec.approved to move the environments";
    return { ...decided, phase: "AwaitingApproval", message };
  }
  const failed = open.filter((member) => member.wave === wave && member.state === "Failed");
  const move = open.filter((member) => member.wave === wave && member.state === "Planned");
  if (isPaused) return { ...decided, phase: "Paused", message: "spec.paused is set" };
  if (failed.length > 0) {
    const names = failed.map(({ name }) => name).join(", ");
    const message = `${names} failed: repair it, or name it in spec.skip`;
    return { ...decided, phase: "Paused", message };
  }
  const message = `wave ${wave} of ${last}`;
  return { ...decided, phase: "Rolling", message, move: move.map(({ name }) => name) };
}

function stateOf(
  { name, environment, plan }: MemberFacts,
  skip: ReadonlySet<string>,
): { readonly state: RolloutState; readonly message: string } {
  if (skip.has(name)) return { state: "Skipped", message: "named in spec.skip" };
  if (environment === undefined) return { state: "Skipped", message: "does not exist any more" };
  const { isMoved, isCurrent, phase, message, hasOtherAccount } = environment;
  if (isMoved) {
    if (!isCurrent || phase === "Deploying" || phase === "DeployedWaiting") {
      return { state: "Moving", message };
    }
    return phase === "DeployedOk" ? { state: "Moved", message: "" } : { state: "Failed", message };
  }
  if (hasOtherAccount) {
    return { state: "Failed", message: "its serviceAccountName was changed after the creation" };
  }
  if (plan === undefined || plan.phase === "" || plan.phase === "Pending") {
    return { state: "Planning", message: "" };
  }
  return plan.phase === "Failed"
    ? { state: "Failed", message: plan.message }
    : { state: "Planned", message: "" };
}

/** The wave of a position; positions after the last wave belong to one more. */
export function waveAt(position: number, waves: readonly number[]): number {
  let from = 0;
  for (const [at, size] of waves.entries()) {
    from += size;
    if (position < from) return at + 1;
  }
  return waves.length + 1;
}
