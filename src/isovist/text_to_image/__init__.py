"""Pictures from a diffusion model: a language model describes them, people sort them, and questions about turns are asked of them."""
