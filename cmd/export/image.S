/* The files of cmd/export/files, carried inside avogit; that folder is among those
 * of -I. */
	.section .rodata
#define FILE(name, path)       \
	.global name;          \
	name: .incbin path; \
	.byte 0;
FILE(export_binding_begin, "binding_begin.cpp")
FILE(export_arithmetic, "arithmetic.py")
FILE(export_build_kernel, "build_kernel.py")
FILE(export_call, "call.py")
FILE(export_flashinfer_main, "flashinfer_main.py")
FILE(export_flashinfer_python, "flashinfer_python.py")
FILE(export_flashinfer_reference, "flashinfer_reference.py")
FILE(export_flashinfer_reference_built, "flashinfer_reference_built.py")
FILE(export_flashinfer_reference_python, "flashinfer_reference_python.py")
FILE(export_python_arguments, "python_arguments.py")
FILE(export_python_init, "python_init.py")
FILE(export_python_operator, "python_operator.py")
FILE(export_python_setup, "python_setup.py")
FILE(export_reference_built, "reference_built.py")
FILE(export_reference_python, "reference_python.py")
FILE(export_setup, "setup.py")
FILE(export_test_kernel, "test_kernel.py")
FILE(export_torch_init, "torch_init.py")
	.section .note.GNU-stack, "", %progbits
