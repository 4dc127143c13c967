// Gives the inbox of the module a way to perform commands.

import type { BusOffer } from "../../modules/bus/command.ts";
import type { SurfacePorts } from "../http/module-surface.ts";
import { performCommands } from "./perform-command.ts";

export function openBus(ports: SurfacePorts): void {
  const { performWith } = ports.offered as BusOffer;
  performWith(performCommands(ports));
}
