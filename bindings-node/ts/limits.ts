/**
 * Limits as JavaScript has them: names in camelCase, times in milliseconds.
 *
 * @module
 */

import { DefinitionError, guard } from './errors';
import { native } from './native';

/**
 * Limits as the native layer has them: names with underscores, times in seconds.
 *
 * @throws DefinitionError for a limit that there is not, or a value that is none
 */
export function limitsOf(limits: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const given: Record<string, number> = {};
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue;
    if (!Number.isFinite(value))
      throw new DefinitionError(`the limit \`${name}\` must be a number, got ${String(value)}`);
    const own = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    given[own] = guard(() => native.isTime(own)) ? value / 1000 : value;
  }
  return given;
}
