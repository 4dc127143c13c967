// All faces that are served now, found by what stands in a path, whatever its case. A face is
// checked as it is put in, so that a request never meets one that cannot be served. A type that is
// inside another is there only for as long as the other is.

import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import type { ArmFace } from "./arm-face.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { faceProblems } from "./face-check.ts";
import { withShared } from "./hidden-properties.ts";

export interface ArmFaces {
  /** Grows with each change, for whoever keeps what is made from the whole list. */
  readonly generation: number;
  find(provider: string, type: string): ArmFace | undefined;
  byKind(id: string): ArmFace | undefined;
  /** By provider and type. */
  all(): readonly ArmFace[];
  /** Everything that is wrong with it, each as "field: what". */
  problemsOf(face: ArmFace): readonly string[];
  /** Refused with everything that is wrong with it. */
  put(face: ArmFace): void;
  /** Whether there was one. */
  remove(provider: string, type: string): boolean;
}

export function armFaces(kinds: Pick<KindRegistry, "byId">): ArmFaces {
  const byPath = new Map<string, ArmFace>();
  const byKind = new Map<string, ArmFace>();
  let generation = 0;
  const find: ArmFaces["find"] = (provider, type) => byPath.get(pathOf(provider, type));
  const around = {
    find,
    kind: (id: string) => kinds.byId(id),
    byKind: (id: string) => byKind.get(id),
  };
  const problemsOf: ArmFaces["problemsOf"] = (face) => faceProblems(face, around);
  return {
    get generation() {
      return generation;
    },
    find,
    byKind: (id) => byKind.get(id),
    all: () => [...byPath].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, face]) => face),
    problemsOf,
    put: (face) => {
      const problems = problemsOf(face);
      if (problems.length > 0) throw faceRefused(face, problems);
      const whole = withAllHidden(face, kinds);
      byPath.set(pathOf(face.provider, face.type), whole);
      byKind.set(face.kind, whole);
      generation += 1;
    },
    remove: (provider, type) => {
      const face = find(provider, type);
      if (face === undefined) return false;
      byPath.delete(pathOf(provider, type));
      byKind.delete(face.kind);
      generation += 1;
      return true;
    },
  };
}

/** The same face where nothing is hidden besides what its versions say. */
function withAllHidden(face: ArmFace, kinds: Pick<KindRegistry, "byId">): ArmFace {
  const rules = kinds.byId(face.kind)?.kind.fieldRules ?? [];
  const versions = withShared(face.versions, rules);
  const isSame = versions.every((version, index) => version === face.versions[index]);
  return isSame ? face : { ...face, versions };
}

function pathOf(provider: string, type: string): string {
  return `${provider}/${type}`.toLowerCase();
}

function faceRefused({ provider, type }: ArmFace, problems: readonly string[]): SetpointError {
  const message = `the face ${provider}/${type} cannot be served: ${problems.join("; ")}`;
  return new SetpointError("resource.invalid", message, { details: { problems: [...problems] } });
}
