// Options of `terraform plan` for each kind of run.

export type StackAction = "apply" | "destroy" | "drift" | "plan" | "plan-destroy";

export function planOptions(action: StackAction): readonly string[] {
  switch (action) {
    case "destroy":
    case "plan-destroy":
      return ["-destroy"];
    case "drift":
      return ["-refresh-only"];
    default:
      return [];
  }
}
