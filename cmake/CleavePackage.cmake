# The Debian package (packaging/deb): what it depends on is found in what was linked, and named where it is loaded at run time.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cleave)
set(CPACK_PACKAGE_CONTACT "The Cleave developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "visual splitting of graph neural networks")
set(CPACK_PACKAGE_DESCRIPTION "Cuts graph neural networks that PyTorch exported between their message-passing layers,
 shows what each cut costs on a graph, runs the model layer by layer in bounded memory,
 and proves that the answers are those of the uncut model.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libopenblas0")
if(CLEAVE_GUI)
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", qt6-qpa-plugins, hicolor-icon-theme, shared-mime-info")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-torch")
include(CPack)
