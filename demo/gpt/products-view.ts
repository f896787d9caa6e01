// The section about matrix products: how the GPU computes them, and their comparison with the CPU
// reference.
import { byId } from '../dom.ts';
import type { Settings } from './settings.ts';
import type { KernelFile, Trainer } from './trainer.ts';

type Choice = Pick<Settings, 'float' | 'matrices'>;

/**
 * Shows how the products are computed. If `trainer` is undefined, shows that this is not known yet.
 */
export function showLowering({ float, matrices }: Choice, trainer?: Trainer): void {
  byId('lowering').textContent = trainer
    ? loweringOf(trainer, { float, matrices })
    : 'Train to see how this GPU computes the products.';
  byId('products').textContent = '';
  byId('products').className = '';
}

function loweringOf({ subgroupMatrices }: Trainer, { float, matrices }: Choice): string {
  if (matrices === 'f32') return 'Here: f32 products, by the multiply-adds of the shader.';
  if (subgroupMatrices)
    return 'Here: f16 products by subgroup matrices. The GPU multiplies them in its matrix hardware.';
  const how = float === 'exact' ? 'in integers, with the bits of NVIDIA’s sm_90' : 'in f32';
  return `Here: f16 products without subgroup matrices, because this browser does not offer them on this GPU, or offers other types. The shader exchanges the factors and adds their products ${how}.`;
}

/** Compares products with the CPU reference, and shows the result. */
export async function showProductCheck(
  trainer: Trainer,
  files: readonly KernelFile[],
  { float }: Choice,
): Promise<void> {
  const { checkProducts } = await import('./check-products.ts');
  const { compared, difference } = await checkProducts(trainer, files, float);
  const sums = `${compared.toLocaleString('en')} sums of three kernels`;
  const good = float === 'exact' ? 'have the bits of the CPU reference' : 'are within the bound of the CPU reference';
  byId('products').className = difference === undefined ? 'good' : 'bad';
  byId('products').textContent =
    difference === undefined ? `${sums} ${good}.` : `The CPU reference disagrees: ${difference}.`;
}
