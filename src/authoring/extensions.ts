// What each built-in module offers to the authors of modules: one line for each. The line also
// makes its entries in `extensions` known to the type checker.

export type * from "../modules/connect/authoring.ts";
export type * from "../modules/fleet/authoring.ts";
export * from "../modules/resource-provider/authoring.ts";
