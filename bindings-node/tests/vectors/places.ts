/** Where the vectors lie: in the checkout, from which the compiled tests may be far. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = process.env.OMNIPORT_ROOT ?? fileURLToPath(new URL('../../..', import.meta.url));

export const FOLDER = join(ROOT, 'tests/vectors');
